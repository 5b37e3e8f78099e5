"""Reads PNG files named ``<storyId>--<theme>-<device>.png``, as written by ``capture``."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast
from urllib.parse import unquote

from visual_review.client.capture import Variant
from visual_review.client.capture.notes import NoteText
from visual_review.client.capture.stories import leads_out
from visual_review.client.publishing.build_images import Entry
from visual_review.client.transport.errors import InputError
from visual_review.imagediff import ImageError, Limits
from visual_review.imagediff.container import read_container
from visual_review.variants import DEVICES, THEMES, Device, Theme

NAME_FORMAT: Final = (
    "File names must look like button--primary--light-desktop.png: the story ID, two dashes, "
    f"the theme ({', '.join(THEMES)}), a dash, the device ({', '.join(DEVICES)})."
)
NAME: Final = re.compile(
    rf"(?P<story>.+)--(?P<theme>{'|'.join(THEMES)})-(?P<device>{'|'.join(DEVICES)})"
)
SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class ImageFile:
    """An image to publish; without a title, pages show the ID of the story."""

    story_id: str
    variant: Variant
    path: Path
    title: str = ""
    notes: tuple[NoteText, ...] = ()
    unstable: str = ""


def parse_name(stem: str) -> tuple[str, Variant] | None:
    """Return story and variant of a file name without extension, None for any other name.

    Story IDs are percent-decoded: ``capture`` encodes the characters not allowed in a file name.
    """
    match = NAME.fullmatch(stem)
    if match is None:
        return None
    variant = Variant(cast("Theme", match["theme"]), cast("Device", match["device"]))
    return unquote(match["story"]), variant


def find_images(folder: Path) -> list[ImageFile]:
    """Return all images, sorted by story and variant. Raises InputError for wrong names."""
    images: dict[tuple[str, Variant], ImageFile] = {}
    problems: list[str] = []
    for path in sorted(folder.rglob("*")):
        # Names beginning with a dot belong to operating systems, such as ._image.png.
        if path.suffix.lower() != ".png" or path.name.startswith(".") or not path.is_file():
            continue
        name = path.relative_to(folder)
        key = parse_name(path.stem)
        # The author of the folder must not choose which files of this machine are uploaded.
        if leads_out(path, folder):
            problems.append(f"{name}: is a link that leads out of the folder")
        elif key is None:
            problems.append(f"{name}: the name does not match")
        elif key in images:
            other = images[key].path.relative_to(folder)
            problems.append(f"{name}: has the same story and variant as {other}")
        else:
            images[key] = ImageFile(*key, path)
    if problems:
        raise make_input_error(problems, NAME_FORMAT)
    return [images[key] for key in sorted(images)]


def read_entries(
    folder: Path,
    images: list[ImageFile],
    limits: Limits,
    files: dict[str, Path],
    problems: list[str],
) -> Iterator[Entry]:
    for image in images:
        try:
            data = read_limited(image.path, limits)
            entry = make_entry(image, data, limits)
        except (OSError, ImageError) as error:
            problems.append(f"{image.path.relative_to(folder)}: {error}")
            continue
        files.setdefault(entry.sha256, image.path)
        yield entry


def read_limited(path: Path, limits: Limits) -> bytes:
    with path.open("rb") as file:
        # One byte more than allowed is enough to recognize too large a file.
        return file.read(limits.file_bytes + 1)


def make_entry(image: ImageFile, png: bytes, limits: Limits) -> Entry:
    """Raises ImageError if the server would not accept the image."""
    # Reading every chunk finds damaged files here, where their names are known.
    info = read_container(png, limits).info
    return Entry(
        image.story_id,
        image.title or image.story_id,
        image.variant,
        sha256=hashlib.sha256(png).hexdigest(),
        width=info.width,
        height=info.height,
        notes=image.notes,
        unstable=image.unstable,
    )


def make_input_error(problems: list[str], hint: str = "") -> InputError:
    listed = [f"  {problem}" for problem in problems[:SHOWN]]
    if len(problems) > SHOWN:
        listed.append(f"  and {len(problems) - SHOWN} more")
    count = "1 file" if len(problems) == 1 else f"{len(problems)} files"
    return InputError("\n".join([f"{count} cannot be published:", *listed, hint]).strip())


def count_of(number: int, singular: str, plural: str) -> str:
    return f"{number} {singular if number == 1 else plural}"
