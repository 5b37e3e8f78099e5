"""Values that change with every build and say nothing about an image: commits, and the time."""

import os
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from visual_review.client.git import run_git

COMMIT: Final = "the commit's hash"
TIME: Final = "the time of the build"
HASH: Final = re.compile(r"[0-9a-f]{40}")
# The usual forms of a commit: the whole hash, or at least its first seven characters.
SHORTEST: Final = 7
# Milliseconds or seconds since 1970, or RFC 3339, to the minute at least.
TIMES: Final = re.compile(
    r"\b(?:(?P<milliseconds>1\d{12})|(?P<seconds>1\d{9})|"
    r"(?P<written>20\d\d-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?))\b"
)
# The longest time from a build to its capture; earlier times were written by a person.
LONGEST_AGE: Final = timedelta(days=1)


class BuildValues:
    """Removes values that change with every build from a text.

    ``commits`` are full hashes; ``now`` is the time of the capture.
    """

    def __init__(self, commits: frozenset[str], now: datetime) -> None:
        starts = "|".join(sorted(commit[:SHORTEST] for commit in commits))
        self._commits = re.compile(rf"\b(?:{starts})[0-9a-f]{{0,33}}\b") if starts else None
        self._now = now

    def remove(self, text: str) -> tuple[str, frozenset[str]]:
        """Return the text without the values, and the names of their kinds."""
        removed = set()

        def drop_time(found: re.Match[str]) -> str:
            if not self._is_recent(found):
                return found.group()
            removed.add(TIME)
            return ""

        if self._commits is not None:
            text, count = self._commits.subn("", text)
            removed |= {COMMIT} if count else set()
        return TIMES.sub(drop_time, text), frozenset(removed)

    def _is_recent(self, found: re.Match[str]) -> bool:
        try:
            time = _parse_time(found)
        except (OverflowError, ValueError):
            return False
        return abs(self._now - time) < LONGEST_AGE


def read_build_values(root: Path) -> BuildValues:
    """Return the values of a build of the checkout in ``root``, as found in variables."""
    return BuildValues(frozenset(_list_commits(root, os.environ)), datetime.now(UTC))


def _list_commits(root: Path, variables: Mapping[str, str]) -> Iterator[str]:
    """Yield the commit, its parents (CI builds a merge of the branch), and commits named by CI."""
    yield from HASH.findall(run_git(root, "rev-parse", "HEAD"))
    header = run_git(root, "cat-file", "commit", "HEAD").partition("\n\n")[0]
    for line in header.splitlines():
        if line.startswith("parent "):
            yield from HASH.findall(line)
    yield from (value for value in variables.values() if HASH.fullmatch(value))


def _parse_time(found: re.Match[str]) -> datetime:
    if found["milliseconds"]:
        return datetime.fromtimestamp(int(found["milliseconds"]) / 1000, UTC)
    if found["seconds"]:
        return datetime.fromtimestamp(int(found["seconds"]), UTC)
    time = datetime.fromisoformat(found["written"])
    return time if time.tzinfo else time.replace(tzinfo=UTC)
