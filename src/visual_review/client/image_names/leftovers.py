"""Images that test tools write next to the screenshots: differences, references, failures."""

import re
from collections.abc import Collection
from typing import Final

from visual_review.client.image_names.readers import split_path

_FOLDERS: Final = {
    "__diff_output__": "an image of differences",
    "__received_output__": "a copy of a screenshot that differed",
}
_LOKI_DIFFERENCE: Final = re.compile(r"/\.loki/difference/")
_FAILED: Final = re.compile(r"\(failed\)( \(attempt \d+\))?$")
_ATTEMPT: Final = re.compile(r"^(?P<name>.*?)( \(attempt (?P<number>\d+)\))?$", re.DOTALL)
# Playwright writes them next to NAME-actual.png when a test fails.
_NEXT_TO_ACTUAL: Final = {
    "-diff": "an image of differences",
    "-expected": "the expected image of a failed test",
    "-previous": "an earlier image of a failed test",
}


def explain_leftover(path: str, location: str, others: Collection[str]) -> str:
    """Return why the image is no screenshot to publish, empty if it is one."""
    folders, stem = split_path(path)
    for folder in folders:
        if folder in _FOLDERS:
            return f"{_FOLDERS[folder]} ({folder})"
    if stem.startswith("failed_diff_") or _LOKI_DIFFERENCE.search(f"{location}/{path}"):
        return "an image of differences"
    if _FAILED.search(stem):
        return "the screenshot of a failed test"
    if _has_later_attempt(path, stem, others):
        return "a later attempt of the same test has this screenshot, too"
    for ending, reason in _NEXT_TO_ACTUAL.items():
        if stem.endswith(ending) and has_sibling(path, ending, "-actual", others):
            return reason
    return ""


def is_actual(path: str, others: Collection[str]) -> bool:
    """Return whether the image is Playwright's of a failed test, with others next to it."""
    if not split_path(path)[1].endswith("-actual"):
        return False
    return any(has_sibling(path, "-actual", ending, others) for ending in _NEXT_TO_ACTUAL)


def has_sibling(path: str, ending: str, other: str, others: Collection[str]) -> bool:
    before, dot, extension = path.rpartition(".")
    return f"{before.removesuffix(ending)}{other}{dot}{extension}" in others


def _has_later_attempt(path: str, stem: str, others: Collection[str]) -> bool:
    match = _ATTEMPT.match(stem)
    if match is None:
        return False
    before, dot, extension = path.rpartition(".")
    if not dot:
        return False
    start = before[: len(before) - len(stem)]
    later = int(match["number"] or 1) + 1
    return f"{start}{match['name']} (attempt {later}){dot}{extension}" in others
