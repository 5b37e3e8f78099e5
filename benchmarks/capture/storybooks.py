"""The Storybooks that are captured, and smaller copies of them for quick runs."""

import argparse
import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.setup_steps import ROOT

from benchmarks.diff.errors import BenchmarkError
from visual_review.client.capture import Story, is_storybook, read_stories
from visual_review.client.capture.stories import INDEX_FILE

REAL = ROOT.parent / "shared" / "data" / "storybooks"
# The Storybooks of the tests are measured where they have been built.
DEFAULT_FOLDERS = (
    ROOT / "examples" / "storybook" / "storybook-static",
    REAL,
    ROOT / "tests" / "storybooks",
)
SKIPPED = frozenset({"node_modules", "src"})


@dataclass(frozen=True)
class Storybook:
    """A built Storybook with the stories to capture."""

    name: str
    folder: Path
    stories: tuple[Story, ...]


def find_storybooks(folders: Sequence[Path]) -> list[Storybook]:
    """Return every Storybook with stories that is one of ``folders`` or inside one of them."""
    found = [(place, top) for top in folders if top.is_dir() for place in _find_built(top)]
    books = [
        Storybook(_name(place, top), place, tuple(read_stories(place))) for place, top in found
    ]
    return [book for book in books if book.stories]


def add_storybook_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose Storybooks and stories."""
    parser.add_argument(
        "--storybooks",
        type=Path,
        nargs="+",
        default=DEFAULT_FOLDERS,
        metavar="DIR",
        help="built Storybooks, or folders with some",
    )
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only the Storybooks named so")
    parser.add_argument(
        "--stories",
        type=int,
        default=int(os.environ["STORIES"]) if os.environ.get("STORIES") else None,
        help="so many of each Storybook, evenly spread (or the variable STORIES)",
    )


def choose_storybooks(folders: Sequence[Path], names: Sequence[str] | None) -> list[Storybook]:
    """Return the Storybooks in ``folders``. Raises BenchmarkError if there are none."""
    found = find_storybooks(folders)
    chosen = [book for book in found if not names or book.name in names]
    if not chosen:
        known = ", ".join(book.name for book in found) or "none"
        raise BenchmarkError(f"there is no such Storybook; found: {known}")
    return chosen


def take_sample(book: Storybook, count: int | None, target: Path) -> Storybook:
    """Return ``book``, or a copy in ``target`` with ``count`` of its stories, evenly spread.

    Every program reads the stories from the index, so a copy gives all of them the same ones.
    """
    if count is None or count >= len(book.stories):
        return book
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(book.folder, target, copy_function=shutil.copyfile)
    # A copy of a read-only folder would be read-only, too.
    for folder in (target, *(path for path in target.rglob("*") if path.is_dir())):
        folder.chmod(0o755)
    step = len(book.stories) / count
    chosen = {book.stories[int(place * step)].id for place in range(count)}
    index = json.loads((target / INDEX_FILE).read_text(encoding="utf-8"))
    index["entries"] = {key: entry for key, entry in index["entries"].items() if key in chosen}
    (target / INDEX_FILE).write_text(json.dumps(index), encoding="utf-8")
    return Storybook(book.name, target, tuple(read_stories(target)))


def _find_built(folder: Path) -> list[Path]:
    if is_storybook(folder) and (folder / INDEX_FILE).is_file():
        return [folder]
    inside = sorted(path for path in folder.iterdir() if path.is_dir())
    return [found for path in inside if path.name not in SKIPPED for found in _find_built(path)]


def _name(place: Path, top: Path) -> str:
    if place == top:
        return "example" if place.parent.parent.name == "examples" else place.name
    return place.relative_to(top).as_posix().removesuffix("/storybook-static")
