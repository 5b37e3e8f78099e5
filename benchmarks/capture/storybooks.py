"""The Storybooks to capture, and smaller copies of them for quick runs."""

import argparse
import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from scripts.setup_steps import ROOT, SAMPLES
from scripts.setup_test_storybooks import BUILT, FOLDER, NAMES

from benchmarks.diff.errors import BenchmarkError
from visual_review.client.capture import (
    ALL_VARIANTS,
    Story,
    Variant,
    is_storybook,
    read_stories,
)
from visual_review.client.capture.stories import INDEX_FILE

REAL: Final = SAMPLES / "storybooks"
REAL_FOLDERS: Final = (ROOT / "examples" / "storybook" / "storybook-static", REAL)
# Storybooks of the tests, if built. The movement of their stories does not depend on the variant,
# so each is captured in one variant, but always as a whole.
TEST_FOLDERS: Final = tuple(FOLDER / name / BUILT for name in NAMES)
ONE_VARIANT: Final = (Variant("light", "phone"),)
SKIPPED: Final = frozenset({"node_modules", "src"})
# An earlier, nearly equal state of a Storybook.
EARLIER: Final = "/before"


@dataclass(frozen=True)
class Storybook:
    """A built Storybook with the stories and variants to capture; ``whole``: never a sample."""

    name: str
    folder: Path
    stories: tuple[Story, ...]
    variants: tuple[Variant, ...] = ALL_VARIANTS
    whole: bool = False


def find_storybooks(folders: Sequence[Path]) -> list[Storybook]:
    """Return every Storybook with stories, either one of ``folders`` or inside of one."""
    found = [(place, top) for top in folders if top.is_dir() for place in _find_built(top)]
    books = [
        Storybook(_name(place, top), place, tuple(read_stories(place))) for place, top in found
    ]
    return [_narrow(book) for book in books if book.stories]


def _narrow(book: Storybook) -> Storybook:
    if book.folder not in TEST_FOLDERS:
        return book
    return replace(book, variants=ONE_VARIANT, whole=True)


def add_storybook_options(
    parser: argparse.ArgumentParser, folders: Sequence[Path], stories: int
) -> None:
    """Add the options for choosing Storybooks and stories, with the given defaults."""
    parser.add_argument(
        "--storybooks",
        type=Path,
        nargs="+",
        default=folders,
        metavar="DIR",
        help="built Storybooks, or folders with some",
    )
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only the Storybooks named so")
    parser.add_argument(
        "--stories",
        type=int,
        default=int(os.environ.get("STORIES") or stories),
        help="so many of each Storybook, evenly spread (or the variable STORIES)",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="all stories in all variants, of earlier states as well",
    )


def choose_storybooks(options: argparse.Namespace) -> list[Storybook]:
    """Return the Storybooks named in the options. Raises BenchmarkError if there are none."""
    found = find_storybooks(options.storybooks)
    if options.only:
        chosen = [book for book in found if book.name in options.only]
    else:
        chosen = [book for book in found if options.all or not book.name.endswith(EARLIER)]
    if not chosen:
        known = ", ".join(book.name for book in found) or "none"
        raise BenchmarkError(f"there is no such Storybook; found: {known}")
    return [replace(book, variants=ALL_VARIANTS) for book in chosen] if options.all else chosen


def choose_sample(book: Storybook, options: argparse.Namespace, target: Path) -> Storybook:
    """Return the part of ``book`` chosen in the options, or all of ``book``."""
    whole = options.all or book.whole
    return take_sample(book, None if whole else options.stories, target)


def take_sample(book: Storybook, count: int | None, target: Path) -> Storybook:
    """Return ``book``, or a copy in ``target`` with ``count`` of its stories, evenly spread.

    Every program reads the stories from the index, so a copy gives all programs the same stories.
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
    return replace(book, folder=target, stories=tuple(read_stories(target)))


def _find_built(folder: Path) -> list[Path]:
    if is_storybook(folder) and (folder / INDEX_FILE).is_file():
        return [folder]
    inside = sorted(path for path in folder.iterdir() if path.is_dir())
    return [found for path in inside if path.name not in SKIPPED for found in _find_built(path)]


def _name(place: Path, top: Path) -> str:
    if place != top:
        return place.relative_to(top).as_posix().removesuffix(f"/{BUILT}")
    if place.parent.parent.name == "examples":
        return "example"
    return place.parent.name if place.name == BUILT else place.name
