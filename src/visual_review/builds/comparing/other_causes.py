"""Find the changes that a branch did not cause, from the hashes of both screenshots; pure.

A hash of the renderer is ``format:version of the browser:parts:digest``, with two characters for
each of ``PARTS``, as in docs/reference/ci-interface.md.
"""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple

UNSTABLE: Final = "unstable"
SETTINGS: Final = "settings"
PARTS: Final = {
    "browser": "another build of the browser",
    "fonts": "other fonts",
    "flags": "other flags of the browser, or another locale",
    "capture": "another version of Visual Review",
    SETTINGS: "other capture settings",
}
PART_LENGTH: Final = 2
_RENDERER: Final = re.compile(r"(?P<format>\w+):(?P<version>[^:]+):(?P<parts>[^:]{10}):[^:]{20}")


class CapturedWith(NamedTuple):
    """The hashes of a screenshot; empty if its client sent no hashes."""

    source: str
    renderer: str


def find_other_cause(before: CapturedWith, after: CapturedWith) -> str:
    """Return why a changed screenshot is not from its branch; empty if the cause is uncertain."""
    if not all((*before, *after)) or before.source != after.source:
        return ""
    if before.renderer == after.renderer:
        return UNSTABLE
    old, new = _RENDERER.fullmatch(before.renderer), _RENDERER.fullmatch(after.renderer)
    if old is None or new is None or old["format"] != new["format"]:
        return ""
    parts = _differing(old["parts"], new["parts"])
    # The branch may have changed its own configuration file.
    if SETTINGS in parts or not parts:
        return ""
    if old["version"] != new["version"]:
        return _describe_versions(old["version"], new["version"])
    return ", ".join(PARTS[name] for name in parts)


def _differing(before: str, after: str) -> list[str]:
    starts = range(0, len(after), PART_LENGTH)
    pairs = ((before[at : at + PART_LENGTH], after[at : at + PART_LENGTH]) for at in starts)
    return [name for name, (old, new) in zip(PARTS, pairs, strict=True) if old != new]


def _describe_versions(before: str, after: str) -> str:
    major = before.partition(".")[0], after.partition(".")[0]
    old, new = (before, after) if major[0] == major[1] else major
    return f"Chromium {old} to {new}"


def name_other_causes(causes: Iterable[str]) -> str:
    """Return the name of the group of the screenshots, the most frequent cause first."""
    counts = Counter(causes)
    ordered = sorted(counts, key=lambda cause: (-counts[cause], cause))
    named = [f"{cause} ({counts[cause]:,})" if len(counts) > 1 else cause for cause in ordered]
    return f"Not from this branch: {', '.join(named)}"
