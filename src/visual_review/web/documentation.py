"""The documentation that is in the package: its pages as HTML, and their sections to search."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final

from markdown_it import MarkdownIt

from visual_review.kernel.errors import NotFoundError

# A wheel has the files in the package; in a checkout they are next to the sources.
FOLDERS: Final = (
    Path(__file__).parents[1] / "documentation",
    Path(__file__).parents[3] / "docs",
)
PARTS: Final = ("tutorial", "how-to", "reference", "explanation")
IMAGE_TYPES: Final = {".png": "image/png", ".svg": "image/svg+xml", ".webp": "image/webp"}
PAGE_UNKNOWN: Final = "The documentation has no such page."
_PARSER: Final = MarkdownIt("commonmark", {"html": False}).enable("table")
_MARKS = re.compile(r"[^\w\- ]")


@dataclass(frozen=True)
class Section:
    """A heading with what is below it. ``url`` is relative to the documentation."""

    title: str
    page: str
    url: str
    text: str


@dataclass(frozen=True)
class Page:
    title: str
    html: str
    sections: tuple[Section, ...]


def read_page(path: str) -> Page:
    """Return the page ``how-to/review.md``; raises NotFoundError."""
    if path not in page_paths():
        raise NotFoundError(PAGE_UNKNOWN)
    return _load(path)


@cache
def page_paths() -> tuple[str, ...]:
    """Return the paths of all pages, tutorials first."""
    found = [path for path in _files() if path.endswith(".md")]
    return tuple(sorted(found, key=lambda path: (_rank(path), path)))


def find_sections(text: str, most: int) -> list[Section]:
    """Return sections that have all parts of ``text``, those with most in the title first."""
    parts = text.casefold().split()
    sections = [section for path in page_paths() for section in _load(path).sections]
    found = [each for each in sections if all(part in _searched(each) for part in parts)]
    return sorted(found, key=lambda each: -_count(parts, each.title))[:most]


def image_file(path: str) -> Path:
    """Return the file of an image of the documentation; raises NotFoundError."""
    if path not in _files() or not path.endswith(tuple(IMAGE_TYPES)):
        raise NotFoundError(PAGE_UNKNOWN)
    return _folder() / path


@cache
def _folder() -> Path:
    return next(folder for folder in FOLDERS if folder.is_dir())


@cache
def _files() -> frozenset[str]:
    files = (path for path in _folder().rglob("*") if path.is_file())
    return frozenset(path.relative_to(_folder()).as_posix() for path in files)


def _rank(path: str) -> int:
    part = path.split("/", maxsplit=1)[0]
    return PARTS.index(part) if part in PARTS else len(PARTS)


@cache
def _load(path: str) -> Page:
    source = (_folder() / path).read_text()
    tokens = _PARSER.parse(source)
    headings: list[tuple[int, str]] = []
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open" and opening.map:
            opening.attrSet("id", anchor_of(inline.content))
            headings.append((opening.map[0], inline.content))
    html = _PARSER.renderer.render(tokens, _PARSER.options, {})
    return Page(headings[0][1], html, tuple(_sections(path, source.splitlines(), headings)))


def _sections(
    path: str, lines: Sequence[str], headings: Sequence[tuple[int, str]]
) -> Iterator[Section]:
    ends = [line for line, _ in headings[1:]] + [len(lines)]
    for (line, title), end in zip(headings, ends, strict=True):
        text = "\n".join(lines[line:end])
        yield Section(title, headings[0][1], f"{path}#{anchor_of(title)}", text)


def anchor_of(title: str) -> str:
    """Return the anchor of a heading, as Git providers write it."""
    return _MARKS.sub("", title.lower()).strip().replace(" ", "-")


def _searched(section: Section) -> str:
    return section.text.casefold()


def _count(parts: Sequence[str], title: str) -> int:
    return sum(part in title.casefold() for part in parts)
