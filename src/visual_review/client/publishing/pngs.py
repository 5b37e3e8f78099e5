"""Publishes a folder of PNG files named ``<storyId>--<theme>-<device>.png``."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast
from urllib.parse import unquote

from visual_review.client.capture import DEVICES, THEMES, Device, Theme, Variant
from visual_review.client.publishing.build_images import Entry, Material
from visual_review.client.publishing.responses import Plan
from visual_review.client.transport.errors import InputError
from visual_review.imagediff import DEFAULT_LIMITS, ImageError, probe

EXPECTED: Final = (
    "Expected are names like button--primary--light-desktop.png: the story's id, two dashes, "
    f"the theme ({', '.join(THEMES)}), a dash, the device ({', '.join(DEVICES)})."
)
NAME: Final = re.compile(
    rf"(?P<story>.+)--(?P<theme>{'|'.join(THEMES)})-(?P<device>{'|'.join(DEVICES)})"
)
SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class Picture:
    story_id: str
    variant: Variant
    path: Path


def parse_name(stem: str) -> tuple[str, Variant] | None:
    """Story and variant of a file's name without its ending, None for any other name.

    Story ids are percent-decoded, as ``capture`` encodes what a file name cannot hold.
    """
    match = NAME.fullmatch(stem)
    if match is None:
        return None
    variant = Variant(cast("Theme", match["theme"]), cast("Device", match["device"]))
    return unquote(match["story"]), variant


def read_pngs(folder: Path, plan: Plan, *, partial: bool) -> Material:
    """The folder, sub-folders included, as a build in the variants that occur.

    Partial: stories of the baseline that have no file here are inherited, none is removed.
    Raises InputError naming all files that cannot be published.
    """
    pictures = _find(folder)
    problems: list[str] = []
    files: dict[str, Path] = {}
    entries = list(_entries(folder, pictures, files, problems))
    if problems:
        raise _refused(problems)
    present = {picture.variant for picture in pictures}
    stories = {picture.story_id for picture in pictures}
    return Material(
        entries=entries,
        files=files,
        themes=tuple(theme for theme in THEMES if any(v.theme == theme for v in present)),
        devices=tuple(device for device in DEVICES if any(v.device == device for v in present)),
        # Naming the baseline's stories as existing keeps those without a file from being removed.
        story_ids=sorted(stories | plan.stories.keys()) if partial else None,
    )


def _find(folder: Path) -> list[Picture]:
    """All pictures, sorted by story and variant."""
    pictures: dict[tuple[str, Variant], Picture] = {}
    problems: list[str] = []
    for path in sorted(folder.rglob("*")):
        # Names beginning with a dot are what systems leave behind, such as ._image.png.
        if path.suffix.lower() != ".png" or path.name.startswith(".") or not path.is_file():
            continue
        name = path.relative_to(folder)
        named = parse_name(path.stem)
        if named is None:
            problems.append(f"{name}: the name is not understood")
        elif named in pictures:
            other = pictures[named].path.relative_to(folder)
            problems.append(f"{name}: the same story and variant as {other}")
        else:
            pictures[named] = Picture(*named, path)
    if problems:
        raise _refused(problems, EXPECTED)
    if not pictures:
        raise InputError(
            f"{folder} holds neither a built Storybook (index.json and iframe.html) nor PNG "
            f"files. {EXPECTED}"
        )
    return [pictures[key] for key in sorted(pictures)]


def _entries(
    folder: Path, pictures: list[Picture], files: dict[str, Path], problems: list[str]
) -> Iterator[Entry]:
    for picture in pictures:
        try:
            with picture.path.open("rb") as file:
                # One byte more than allowed shows that a file is too large, however large it is.
                data = file.read(DEFAULT_LIMITS.file_bytes + 1)
            info = probe(data)
        except (OSError, ImageError) as error:
            problems.append(f"{picture.path.relative_to(folder)}: {error}")
            continue
        digest = hashlib.sha256(data).hexdigest()
        files.setdefault(digest, picture.path)
        yield Entry(
            picture.story_id,
            picture.story_id,
            picture.variant,
            sha256=digest,
            width=info.width,
            height=info.height,
        )


def _refused(problems: list[str], expected: str = "") -> InputError:
    listed = [f"  {problem}" for problem in problems[:SHOWN]]
    if len(problems) > SHOWN:
        listed.append(f"  and {len(problems) - SHOWN} more")
    count = "1 file" if len(problems) == 1 else f"{len(problems)} files"
    return InputError("\n".join([f"{count} cannot be published:", *listed, expected]).strip())
