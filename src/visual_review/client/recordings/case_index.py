"""Finds the case or the file of cases in a video's name without looking at each case."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import PurePosixPath
from typing import Generic, TypeVar

from visual_review.client.recordings.case import Case, slugify

T = TypeVar("T")
# More are not needed to know that a match is not the only one.
_SEVERAL = 2


@dataclass(slots=True)
class _Slugs:
    """The numbers of cases by slug, at most two each, and how many parts the slugs have."""

    cases: dict[str, list[int]] = field(default_factory=dict)
    lengths: set[int] = field(default_factory=set)

    def add(self, slug: str, case: int) -> None:
        numbers = self.cases.setdefault(slug, [])
        self.lengths.add(_length(slug))
        if case not in numbers and len(numbers) < _SEVERAL:
            numbers.append(case)

    def longest_in(self, slug: str) -> list[str]:
        """Return the longest of our slugs contained in ``slug``."""
        found = {run for run in _runs(slug, self.lengths) if run in self.cases}
        longest = max(map(len, found), default=0)
        return [each for each in found if len(each) == longest]


class CaseIndex:
    """Cases by their names and files."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self._cases = cases
        self._names = _Slugs()
        # By the name of a case: the suites and files of the case.
        self._origins: dict[str, _Slugs] = {}
        self._of_file: dict[str, list[Case]] = {}
        self._by_file_name: PathEnds[str] = PathEnds()
        self._by_file_stem: PathEnds[str] = PathEnds()
        for number, case in enumerate(cases):
            self._add_name(number, case)
            self._add_file(case)

    def best_match(self, video: str) -> Case | None:
        """Return the case whose name best matches the path; None if none or several do.

        The longest name decides, then the longest suite or file in the path.
        """
        slug = slugify(str(PurePosixPath(video).with_suffix("")))
        names = self._names.longest_in(slug)
        origins = [
            (origin, self._origins[name].cases[origin])
            for name in names
            for origin in self._origins[name].longest_in(slug)
        ]
        longest = max((len(origin) for origin, _ in origins), default=0)
        found = [cases for origin, cases in origins if len(origin) == longest]
        numbers = found or [self._names.cases[name] for name in names]
        best = set(chain.from_iterable(numbers))
        return self._cases[best.pop()] if len(best) == 1 else None

    def cases_of_file(self, video: str, *, whole: bool) -> list[Case]:
        """Return the cases of the file that the video is named after."""
        path = PurePosixPath(video)
        # Folders of videos are named like folders of files, and so distinguish files of the same
        # name.
        files = self._by_file_name if whole else self._by_file_stem
        _, file = files.find((*path.parts[:-1], path.stem))
        return self._of_file[file] if file is not None else []

    def _add_name(self, number: int, case: Case) -> None:
        name = slugify(case.name)
        # A name without letters would match every path.
        if not name.strip("-"):
            return
        self._names.add(name, number)
        origins = self._origins.setdefault(name, _Slugs())
        for text in (case.suite, case.file, PurePosixPath(case.file).stem):
            origins.add(slugify(text), number)

    def _add_file(self, case: Case) -> None:
        if not case.file:
            return
        known = self._of_file.setdefault(case.file, [])
        known.append(case)
        file = PurePosixPath(case.file)
        if len(known) == 1:
            self._by_file_name.add((*file.parts[:-1], file.name), case.file)
            self._by_file_stem.add((*file.parts[:-1], file.stem), case.file)


def _length(slug: str) -> int:
    return slug.count("-") - 1


def _runs(slug: str, lengths: Iterable[int]) -> Iterator[str]:
    """List the parts of ``slug`` with so many words."""
    parts = slug[1:-1].split("-")
    for length in lengths:
        for start in range(len(parts) - length + 1):
            yield f"-{'-'.join(parts[start : start + length])}-"


@dataclass(slots=True)
class _Node(Generic[T]):
    """Paths with the same end; ``value`` is of the first path."""

    value: T
    count: int = 0
    before: dict[str, "_Node[T]"] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PathEnds(Generic[T]):
    """Values with the parts of their paths, in a tree from the last part to the first."""

    _last: dict[str, _Node[T]] = field(default_factory=dict)

    def add(self, parts: Sequence[str], value: T) -> None:
        nodes = self._last
        for part in reversed(parts):
            node = nodes.setdefault(part, _Node(value))
            node.count += 1
            nodes = node.before

    def find(self, parts: Sequence[str]) -> tuple[int, T | None]:
        """Return the length of the longest common end, and the value if only one path fits."""
        length, longest, nodes = 0, None, self._last
        for part in reversed(parts):
            node = nodes.get(part)
            if node is None:
                break
            length, longest, nodes = length + 1, node, node.before
        return length, longest.value if longest is not None and longest.count == 1 else None
