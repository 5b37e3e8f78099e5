"""Pair the images of two folders by name, and name the files of the report on the pairs."""

import hashlib
import os
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from visual_review.client.comparing.errors import InputError
from visual_review.client.comparing.image_listing import ImageFolder, list_images
from visual_review.imagediff import Options

# Characters refused by Windows and by the artifact storages of CI systems, and characters
# controlling a terminal.
_REFUSED: Final = re.compile(r'[<>:"|?*\\\x00-\x1f\x7f-\x9f\ud800-\udfff]')
_RESERVED: Final = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)
# In bytes; file systems allow 255, and the extension and a temporary name need some.
LONGEST_PART: Final = 200
_HASH_LENGTH: Final = 8


def difference_name(name: str) -> str:
    """Return the name of the PNG file with the difference of this image."""
    portable = portable_name(name)
    return portable if portable.lower().endswith(".png") else f"{portable}.png"


def portable_name(name: str) -> str:
    """Return the name with every part of the path in a form accepted by all systems.

    A changed part gets a hash of the original part, so that two names never become one.
    """
    return "/".join(_portable_part(part) for part in name.split("/"))


def _portable_part(part: str) -> str:
    replaced = _REFUSED.sub("_", part)
    ends_badly = replaced != replaced.rstrip(" .")
    too_long = len(replaced.encode()) > LONGEST_PART
    if replaced == part and not (ends_badly or too_long or _RESERVED.fullmatch(part)):
        return part
    digest = hashlib.sha256(part.encode(errors="surrogatepass")).hexdigest()[:_HASH_LENGTH]
    stem, dot, extension = replaced.rstrip(" .").rpartition(".")
    if not dot:
        stem, extension = extension, ""
    room = LONGEST_PART - _HASH_LENGTH - len(extension.encode()) - 2
    short = stem.encode()[: max(room, 0)].decode(errors="ignore")
    return f"{short}~{digest}{dot}{extension[:20]}"


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
