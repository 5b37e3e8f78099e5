"""Pair the images of two folders by name, and find names equal to each other on some systems."""

import os
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from visual_review.client.comparing.errors import InputError
from visual_review.client.comparing.image_listing import ImageFolder, list_images
from visual_review.client.comparing.output_names import difference_name
from visual_review.imagediff import Options


@dataclass(frozen=True, slots=True)
class Pair:
    """Two files with the same relative name."""

    name: str
    # None if the folder has no such file.
    before: str | None = None
    after: str | None = None
    # Why the files cannot be compared.
    problem: str | None = None
    # Options for this pair instead of the options for all pairs.
    options: Options | None = None


def find_pairs(before: Path, after: Path, left_out: str | None = None) -> list[Pair]:
    """Pair files by relative path, in sorted order; ``left_out`` is the real path of the report.

    Raises InputError if there is nothing to compare.
    """
    for path in (before, after):
        if not os.path.lexists(path):
            raise InputError(f"{path} does not exist")
    if before.is_dir() != after.is_dir():
        folder, file = (before, after) if before.is_dir() else (after, before)
        raise InputError(
            f"{folder} is a folder and {file} is a file; give two files or two folders"
        )
    if not before.is_dir():
        return [Pair(after.name, str(before), str(after))]
    pairs = pair_images(list_images(str(before), left_out), list_images(str(after), left_out))
    if not pairs:
        raise InputError(f"neither {before} nor {after} contains a PNG, JPEG or WebP file")
    return pairs


def pair_images(before: ImageFolder, after: ImageFolder) -> list[Pair]:
    """Pair the files of two folders by name; a file with a problem becomes a pair of its own."""
    problems = _find_problems(before, after)
    names = before.files.keys() | after.files.keys() | problems.keys()
    return [
        Pair(name, before.files.get(name), after.files.get(name), problems.get(name))
        for name in sorted(names)
    ]


def find_collisions(names: Iterable[str]) -> dict[str, str]:
    """Return messages for names equal to another name on macOS or Windows."""
    groups = defaultdict(list)
    for name in sorted(names):
        groups[_fold(difference_name(name))].append(name)
    return {
        name: _describe_collision(name, other)
        for group in groups.values()
        if len(group) > 1
        for name, other in zip(group, group[1:] + group[:1], strict=True)
    }


def _describe_collision(name: str, other: str) -> str:
    if _fold(name) == _fold(other):
        return f"only upper and lower case distinguish it from {other}; rename one of them"
    return f"its difference would have the same name as that of {other}; rename one of them"


def _find_problems(before: ImageFolder, after: ImageFolder) -> dict[str, str]:
    problems: dict[str, str] = find_collisions(before.files.keys() | after.files.keys())
    for side, own, other in (("before", before, after), ("after", after, before)):
        found = dict.fromkeys(own.folders & other.files.keys(), "is a folder, not a file")
        for name, problem in (found | own.problems).items():
            earlier = f"{problems[name]}; " if name in problems else ""
            problems[name] = f"{earlier}{side}: {problem}"
    return problems


def _fold(name: str) -> str:
    # Most names are ASCII, with only one Unicode form.
    return name.lower() if name.isascii() else unicodedata.normalize("NFC", name.casefold())
