"""Compares pairs with this project: one JSON request and one response per line."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from visual_review.imagediff import DEFAULT_LIMITS, DEFAULT_OPTIONS
from visual_review.imagediff.changes.analysis import analyze
from visual_review.imagediff.engine import engine
from visual_review.imagediff.memory import keep_freed_memory

# Noise is not compressible, so files of noise are larger than any screenshot.
LIMITS = replace(DEFAULT_LIMITS, file_bytes=512 * 1024 * 1024)

# As in every process of this project for comparing one pair after another.
KEPT_BYTES = 256 * 1024 * 1024


def answer(request: dict[str, Any]) -> int:
    before, after = (Path(request[side]).read_bytes() for side in ("before", "after"))
    marks = engine().mark(before, after, DEFAULT_OPTIONS, LIMITS)
    is_faint = request.get("analyze", False) and analyze(marks).is_faintly_changed
    # Equal images are not drawn, as by the others.
    if request["output"] and (marks.counts.different or is_faint):
        Path(request["output"]).write_bytes(marks.pair.draw())
    return marks.counts.different


def main() -> None:
    keep_freed_memory(KEPT_BYTES)
    print(json.dumps({"engine": engine().name}), flush=True)
    for line in sys.stdin:
        print(json.dumps({"different": answer(json.loads(line))}), flush=True)


if __name__ == "__main__":
    main()
