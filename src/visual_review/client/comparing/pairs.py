"""Find and pair the images of two folders by name, and name the files of their report."""

import hashlib
import os
import re
import stat
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from visual_review.client.comparing.errors import InputError
from visual_review.imagediff import Options

EXTENSIONS: Final = (".png", ".jpg", ".jpeg", ".webp")
# Characters refused by Windows and by the artifact storages of CI systems, and characters
# controlling a terminal.
_REFUSED: Final = re.compile(r'[<>:"|?*\\\x00-\x1f\x7f-\x9f\ud800-\udfff]')
_RESERVED: Final = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)
# In bytes; file systems allow 255, and the extension and a temporary name need some.
LONGEST_PART: Final = 200
_HASH_LENGTH: Final = 8


@dataclass(slots=True)
class ImageFolder:
    """Files by their names relative to the folder, with slashes; problems by name as well.

    ``folders`` are folders with a name like an image file's.
    """

    files: dict[str, str] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    problems: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder to read, the real path of the folder above, and the real paths of all above."""

    path: str
    prefix: str
    parent: str
    ancestors: frozenset[str]


def list_images(folder: str, left_out: str | None = None) -> ImageFolder:
    """List the images in a folder and below; ``left_out`` is the real path of a folder to skip.

    Symbolic links are followed. An unreadable file or folder becomes a problem, never an error.
    """
    found = ImageFolder()
    waiting = [_Folder(folder, "", "", frozenset())]
    while waiting:
        current = waiting.pop()
        real = os.path.realpath(current.path)
        if real == left_out:
            continue
        if real in current.ancestors or _is_around(real, current.parent):
            found.problems[current.prefix.rstrip("/")] = "is a symbolic link to a folder around it"
            continue
        try:
            entries = os.scandir(current.path)
        except OSError as error:
            found.problems[current.prefix.rstrip("/") or "."] = explain(error)
            continue
        with entries:
            for entry in entries:
                name = current.prefix + entry.name
                if _is_folder(entry):
                    above = current.ancestors | {real}
                    waiting.append(_Folder(entry.path, f"{name}/", real, above))
                    if is_image_name(name):
                        found.folders.add(name)
                elif is_image_name(name):
                    _add_file(found, name, entry)
    return found


def is_image_name(name: str) -> bool:
    return name.lower().endswith(EXTENSIONS)


def _is_around(folder: str, other: str) -> bool:
    return other != "" and f"{other}{os.sep}".startswith(f"{folder.rstrip(os.sep)}{os.sep}")


def explain(error: OSError) -> str:
    """Return the reason without the path, as the path stands next to the reason."""
    return f"cannot be read: {error.strerror or error}"


def describe_kind(mode: int) -> str:
    """Describe an entry of a folder other than a file or a folder."""
    if stat.S_ISFIFO(mode):
        return "is a named pipe, not a file"
    if stat.S_ISSOCK(mode):
        return "is a socket, not a file"
    if stat.S_ISDIR(mode):
        return "is a folder, not a file"
    return "is a device, not a file"


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        # A link to itself is listed as a file and gets a message.
        return False


def _add_file(found: ImageFolder, name: str, entry: os.DirEntry[str]) -> None:
    try:
        if entry.is_file():
            found.files[name] = entry.path
        else:
            found.problems[name] = describe_kind(entry.stat().st_mode)
    except FileNotFoundError:
        found.problems[name] = "is a symbolic link to a file that does not exist"
    except OSError as error:
        found.problems[name] = explain(error)


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
