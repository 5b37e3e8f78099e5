"""Compares pairs with this project: one JSON request and one response per line."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from visual_review.imagediff import DEFAULT_LIMITS, DEFAULT_OPTIONS, compare, compare_and_render

# Noise is not compressible, so the files of it are larger than any screenshot.
LIMITS = replace(DEFAULT_LIMITS, file_bytes=512 * 1024 * 1024)


def answer(request: dict[str, Any]) -> int:
    before, after = (Path(request[side]).read_bytes() for side in ("before", "after"))
    if not request["output"]:
        return compare(before, after, DEFAULT_OPTIONS, LIMITS).diff_pixels
    comparison = compare_and_render(before, after, DEFAULT_OPTIONS, LIMITS)
    if not comparison.verdict.equal:
        Path(request["output"]).write_bytes(comparison.diff_image)
    return comparison.verdict.diff_pixels


def main() -> None:
    print(json.dumps({"engine": "numpy"}), flush=True)
    for line in sys.stdin:
        print(json.dumps({"different": answer(json.loads(line))}), flush=True)


if __name__ == "__main__":
    main()
