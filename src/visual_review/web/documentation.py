"""The site of the package's documentation, and the sections for searching."""

import json
import re
from dataclasses import dataclass
from functools import cache
from html import unescape
from pathlib import Path
from typing import Final

from visual_review.kernel.errors import NotFoundError

# A wheel has the site in the package; in a checkout `make docs` and `make setup` build it.
FOLDERS: Final = (
    Path(__file__).parents[1] / "documentation",
    Path(__file__).parents[3] / "build" / "site",
)
PARTS: Final = ("tutorial", "how-to", "reference", "explanation")
NOT_BUILT: Final = (
    "This installation is without the documentation. Run `make docs` in the checkout that it was "
    "installed from, then install it again."
)
PAGE_UNKNOWN: Final = "The documentation has no such page."
_TAG: Final = re.compile(r"<[^>]+>")


@dataclass(frozen=True)
class Section:
    """A heading with the text below it. ``url`` is relative to the documentation."""

    title: str
    page: str
    url: str
    text: str


def site_file(path: str) -> Path:
    """Return a file of the site; raises NotFoundError."""
    folder = site_folder()
    file = folder / path / "index.html" if not path or path.endswith("/") else folder / path
    if file not in _files(folder):
        raise NotFoundError(PAGE_UNKNOWN)
    return file


def site_folder() -> Path:
    """Return the folder of the site; raises NotFoundError without a built site."""
    for folder in FOLDERS:
        if folder.is_dir():
            return folder
    raise NotFoundError(NOT_BUILT)


@cache
def _files(folder: Path) -> frozenset[Path]:
    return frozenset(path for path in folder.rglob("*") if path.is_file())


def find_sections(text: str, most: int) -> list[Section]:
    """Return sections with all parts of ``text``, sections with most parts in the title first."""
    parts = text.casefold().split()
    found = [each for each in _sections() if all(part in _searched(each) for part in parts)]
    return sorted(found, key=lambda each: -_count(parts, each.title))[:most]


@cache
def _sections() -> tuple[Section, ...]:
    """Return all sections, of tutorials first, as in the search of the site."""
    index = next(
        filter(Path.is_file, (each / "search/search_index.json" for each in FOLDERS)), None
    )
    if index is None:
        return ()
    entries = json.loads(index.read_text(encoding="utf-8"))["docs"]
    titles = {entry["location"]: _plain(entry["title"]) for entry in entries}
    found = [
        Section(titles[url], titles[url.partition("#")[0]], url, _plain(entry["text"]))
        for entry in entries
        for url in [entry["location"]]
    ]
    return tuple(sorted(found, key=lambda each: _rank(each.url)))


def _plain(markup: str) -> str:
    return unescape(_TAG.sub("", markup))


def _rank(url: str) -> int:
    part = url.split("/", maxsplit=1)[0]
    return PARTS.index(part) if part in PARTS else len(PARTS)


def _searched(section: Section) -> str:
    return f"{section.title}\n{section.text}".casefold()


def _count(parts: list[str], title: str) -> int:
    return sum(part in title.casefold() for part in parts)
