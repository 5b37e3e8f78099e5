"""Find the image files of a folder, and whatever looks like one but cannot be read."""

import os
import stat
from dataclasses import dataclass, field
from typing import Final

EXTENSIONS: Final = (".png", ".jpg", ".jpeg", ".webp")


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
