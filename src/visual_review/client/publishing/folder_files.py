"""Lists the images in a folder and below, and gives a reason for every other file."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from visual_review.client.capture.stories import explain_url, leads_out
from visual_review.client.transport.errors import InputError

EXTENSIONS: Final = frozenset({".png", ".jpg", ".jpeg", ".webp"})
OTHER_IMAGES: Final = frozenset({".gif", ".bmp", ".tif", ".tiff", ".avif", ".heic", ".jxl", ".svg"})
# Hidden folders of tools with screenshots.
TOOL_FOLDERS: Final = frozenset({".loki", ".lostpixel"})
PACKAGES: Final = "node_modules"
OTHER_FORMAT: Final = "is no PNG, JPEG or WebP"
FOLDER_LINK: Final = "is a link to a folder"
HIDDEN_FOLDER: Final = "is a hidden folder"
PACKAGES_FOLDER: Final = "has packages of npm"
FOLDER_REASONS: Final = frozenset({FOLDER_LINK, HIDDEN_FOLDER, PACKAGES_FOLDER})


@dataclass(slots=True)
class FolderFiles:
    """The image files of a folder by relative names, and why each other file is left out."""

    images: list[str] = field(default_factory=list)
    ignored: dict[str, str] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)


def require_folder(folder: Path, hint: str = "") -> None:
    """Raise InputError unless the path is a folder."""
    if problem := explain_url(folder):
        raise InputError(problem)
    if folder.is_file():
        raise InputError(f"{folder} is a file. Pass the folder that it is in.")
    if not folder.is_dir():
        raise InputError(f"There is no folder {folder}. {hint}".strip())


def list_folder(folder: Path) -> FolderFiles:
    """List all files in the folder and below; links to folders are not followed."""
    found = FolderFiles()

    def note_unreadable(error: OSError) -> None:
        # Without an error, screenshots in an unreadable folder would be taken for removed ones.
        name = Path(error.filename).relative_to(folder).as_posix()
        found.problems[name] = f"cannot be read: {error.strerror}"

    for place, folders, files in os.walk(folder, onerror=note_unreadable):
        here = Path(place)
        for name in sorted(folders):
            if reason := explain_other_folder(here / name):
                found.ignored[(here / name).relative_to(folder).as_posix()] = reason
                folders.remove(name)
        for name in sorted(files):
            _add_file(found, folder, here / name)
    return found


def explain_other_folder(path: Path) -> str:
    """Return why the folder is not searched for screenshots, empty if searched."""
    if path.is_symlink():
        return FOLDER_LINK
    if path.name == PACKAGES:
        return PACKAGES_FOLDER
    if path.name.startswith(".") and path.name not in TOOL_FOLDERS:
        return HIDDEN_FOLDER
    return ""


def _add_file(found: FolderFiles, folder: Path, path: Path) -> None:
    name = path.relative_to(folder).as_posix()
    if path.name.startswith("."):
        # Names beginning with a dot belong to operating systems, such as ._image.png.
        found.ignored[name] = "is a hidden file"
    elif path.suffix.lower() in OTHER_IMAGES:
        found.ignored[name] = OTHER_FORMAT
    elif path.suffix.lower() not in EXTENSIONS:
        found.ignored[name] = "is not an image"
    # The author of the folder must not choose which files of this machine are uploaded.
    elif leads_out(path, folder):
        found.problems[name] = "is a link that leads out of the folder"
    elif path.is_file():
        found.images.append(name)
    else:
        found.problems[name] = "is not a file"
