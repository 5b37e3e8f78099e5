"""pixelmatch 7.2 and pngjs 7 in Node: what they say about files."""

import hashlib
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scripts.setup_node import PIXELMATCH, node_environment
from scripts.setup_tools import find_node

from visual_review.imagediff import DEFAULT_LIMITS, Options
from visual_review.imagediff.port import Engine

SCRIPT = PIXELMATCH.folder / "oracle.mjs"
SETTINGS = [
    Options(threshold, include) for threshold in (0.0, 0.1, 0.3) for include in (False, True)
]
# The count of different pixels, and the start of the digest of the mask.
Answer = list[Any]


def ask_pixelmatch(
    pairs: Sequence[tuple[Path, Path]], settings: Sequence[Options] = SETTINGS
) -> list[list[Answer] | None]:
    """Return an answer for each setting of each pair, None where the sizes differ."""
    described = [
        {"threshold": each.threshold, "includeAA": each.include_anti_aliased} for each in settings
    ]
    return _ask(
        [
            {"before": str(before), "after": str(after), "settings": described}
            for before, after in pairs
        ]
    )


def ask_pngjs(paths: Sequence[Path]) -> list[str]:
    """Return the digest of size and pixels of each file."""
    return _ask([{"path": str(path)} for path in paths])


def answer_by(
    engine: Engine, before: bytes, after: bytes, settings: Sequence[Options] = SETTINGS
) -> list[Answer]:
    """Return what an engine says in place of pixelmatch."""
    marks = [engine.mark(before, after, options, DEFAULT_LIMITS) for options in settings]
    return [[each.counts.different, hashlib.sha256(each.mask).hexdigest()[:16]] for each in marks]


def _ask(questions: list[dict[str, Any]]) -> list[Any]:
    node = find_node()
    run = subprocess.run(
        [node / "node", SCRIPT],
        input="\n".join(json.dumps(question) for question in questions),
        capture_output=True,
        text=True,
        check=True,
        env=node_environment(node),
    )
    return [json.loads(line) for line in run.stdout.splitlines()]
