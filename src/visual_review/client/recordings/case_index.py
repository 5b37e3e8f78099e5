"""Test cases of a report; finds a case or file by a video's name without looking at each case."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import PurePosixPath
from typing import Final, Generic, TypeVar
from urllib.parse import unquote

from visual_review.client.recordings.found_videos import Outcome
from visual_review.client.transport.errors import InputError

# One test case of a report, the case's texts for the service, and the story named in a step.
#
# Storybook shows a story at ``?path=/story/ID`` (or ``/docs/ID``) and renders the story alone at
# ``iframe.html?id=ID``. Storybook builds the ID from title and name: ``components-button--primary``.

STORY_ID_LENGTH: Final = 500
_ID: Final = r"[^\W_]+(?:-[^\W_]+)*--[^\W_]+(?:-[^\W_]+)*"
_IN_URL: Final = (
    re.compile(rf"[?&]path=/(?:story|docs)/({_ID})"),
    re.compile(rf"iframe(?:\.html)?\?(?:[^\s#]*&)?id=({_ID})"),
)
# Not after a dot or dash: CSS classes and command-line options look similar.
_IN_TEXT: Final = re.compile(rf"(?<![\w.#/=-])({_ID})(?![\w-])")
# CSI sequences such as colors, and OSC sequences such as links.
_ANSI: Final = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-_]")
# Between a suite and the contents of the suite.
SEPARATOR: Final = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "
_WORD: Final = re.compile(r"[^\W_]+")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
T = TypeVar("T")
# More are not needed to know that a match is not the only one.
_SEVERAL = 2


@dataclass(frozen=True, slots=True)
class Case:
    """One test case; ``attached`` are the files named in the case's output."""

    name: str
    suite: str
    file: str
    outcome: Outcome
    error: str = ""
    duration_ms: int = 0
    ran_at: str = ""
    attached: tuple[str, ...] = ()

    @property
    def full_name(self) -> str:
        return SEPARATOR.join(filter(None, (self.suite, self.name)))


def clean(text: str) -> str:
    """Return ``text`` without colors, control characters and lone surrogates; lines stay."""
    plain = _ANSI.sub("", text).replace("\r\n", "\n")
    # A report may contain lone surrogates, which UTF-8 cannot encode.
    return _CONTROL.sub("", plain).encode("utf-8", "replace").decode()


def one_line(text: str) -> str:
    return " ".join(clean(text).split())


def slugify(text: str) -> str:
    """Return the words of ``text`` in lower case, with dashes between and around the words."""
    return f"-{'-'.join(_WORD.findall(text.casefold()))}-"


class ReportError(InputError):
    """An unreadable test report; the message names the file and the position in the file."""


def find_story_id(title: str) -> str:
    """Return the ID of the story named in ``title``, empty without a story."""
    text = unquote(title[: STORY_ID_LENGTH * 4])
    for pattern in (*_IN_URL, _IN_TEXT):
        if found := pattern.search(text):
            return found[1][:STORY_ID_LENGTH]
    return ""


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
