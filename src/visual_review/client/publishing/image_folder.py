"""Publishes a folder of images from any tool; each file name gives the story and the variant."""

import io
import os
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Final

from PIL import ExifTags, Image, UnidentifiedImageError

from visual_review.client.capture import Variant
from visual_review.client.capture.notes import summarize_notes
from visual_review.client.capture.stories import explain_url, leads_out
from visual_review.client.comparing.other_formats import check_size, is_webp, read_webp_size
from visual_review.client.image_names import NameMapping, NamingError, NamingOptions, map_names
from visual_review.client.publishing.build_images import BuildContents, Entry, Spool
from visual_review.client.publishing.pngs import (
    NAME_FORMAT,
    ImageFile,
    count_of,
    make_entry,
    make_input_error,
    read_limited,
)
from visual_review.client.publishing.responses import Plan
from visual_review.client.publishing.screenshots import TestResults, choose_screenshots
from visual_review.client.terminal import printable
from visual_review.client.test_results import Sources
from visual_review.client.transport.errors import InputError
from visual_review.imagediff import BrokenImageError, ImageError, Limits
from visual_review.imagediff.container import SIGNATURE
from visual_review.variants import DEVICES, THEMES

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
_JPEG: Final = b"\xff\xd8\xff"
# Modes stored unchanged in a PNG.
_EXACT_MODES: Final = ("L", "RGB", "RGBA")
_TURNS: Final = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
SHOWN_IGNORED: Final = 3
OTHER_NAMES: Final = (
    "To read names of another form, pass --name-pattern plain, or a pattern with {story}; "
    "--explain shows the result."
)
ONE_OF_THEM: Final = (
    "No two files can be the same screenshot: pass the folder of one of them, or say what the "
    "others are with --name-pattern, --theme or --device; --explain shows the result."
)


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


def map_folder(folder: Path, naming: NamingOptions, *, may_be_empty: bool = False) -> NameMapping:
    """Map the folder's images to stories and variants; reads no image.

    Raises InputError if there is no image, or the names need a decision.
    """
    found = list_folder(folder)
    if not found.images and not found.problems and may_be_empty:
        return NameMapping("the report")
    if not found.images and not found.problems:
        raise InputError(
            f"{folder} contains neither a built Storybook (index.json and iframe.html) nor "
            f"images (PNG, JPEG, WebP).{_name_others(found.ignored)}"
        )
    try:
        mapping = map_names(found.images, naming, folder.resolve().as_posix())
    except NamingError as error:
        raise InputError(f"{folder}: {error}") from error
    mapping.ignored |= found.ignored
    mapping.problems |= found.problems
    return mapping


def _name_others(ignored: Mapping[str, str]) -> str:
    images = [name for name, reason in ignored.items() if reason == OTHER_FORMAT]
    hidden = [name for name, reason in ignored.items() if reason == HIDDEN_FOLDER]
    return (
        f" Other formats are not supported: {', '.join(images[:SHOWN_IGNORED])}." if images else ""
    ) + (
        f" Hidden folders are not read, unless one is passed itself: "
        f"{', '.join(hidden[:SHOWN_IGNORED])}."
        if hidden
        else ""
    )


def require_usable(mapping: NameMapping) -> None:
    """Raise InputError with a list of all unpublishable files, or without any image."""
    if mapping.problems:
        named = [f"{name}: {reason}" for name, reason in sorted(mapping.problems.items())]
        mismatched = any("does not match" in reason for reason in mapping.problems.values())
        doubled = any("same story and variant" in reason for reason in mapping.problems.values())
        hints = [f"{NAME_FORMAT} {OTHER_NAMES}"] * mismatched + [ONE_OF_THEM] * doubled
        raise make_input_error(named, "\n".join(hints))
    if not mapping.images:
        lines = "\n".join(describe_ignored(mapping))
        raise InputError(f"No image of the folder can be published with these names.\n{lines}")


def read_images(
    folder: Path,
    plan: Plan,
    naming: NamingOptions,
    spool: Spool | None,
    *,
    partial: bool,
    results: TestResults | None = None,
) -> BuildContents:
    """Read the folder and its subfolders as a build of the variants found there.

    Partial: stories of the baseline without a file are inherited, not removed. Without a spool,
    JPEG and WebP are refused. Without ``results``, images are not checked against the last run of
    tests. Raises InputError with a list of unpublishable files, or for images not rendered by the
    last run of tests.
    """
    has_report = results is not None and bool(results.reports)
    mapping = map_folder(folder, naming, may_be_empty=has_report)
    if mapping.images or not has_report:
        require_usable(mapping)
    sources = Sources() if results is None else results.find_sources(folder, mapping)
    screenshots = choose_screenshots(folder, mapping, sources)
    reader = ImageReader(plan.image_limits, spool)
    entries = [*reader.read(folder, screenshots.images), *screenshots.failed]
    if reader.problems:
        raise make_input_error(reader.problems)
    present = {Variant(each.theme, each.device) for each in mapping.images}
    present |= {entry.variant for entry in entries}
    stories = {each.story_id for each in mapping.images} | {e.story_id for e in entries}
    known = plan.stories.keys() if partial or sources.misses_tests else set()
    takes_over = partial or sources.misses_tests or screenshots.taken_over > 0
    return BuildContents(
        entries=sorted(entries, key=lambda entry: (entry.story_id, entry.variant)),
        files=reader.files,
        themes=tuple(theme for theme in THEMES if any(v.theme == theme for v in present)),
        devices=tuple(device for device in DEVICES if any(v.device == device for v in present)),
        # Listing the stories of the baseline keeps stories without a file from being removed.
        story_ids=sorted(stories | known) if takes_over else None,
        notes=[
            *describe_reading(mapping),
            *screenshots.notes,
            *describe_ignored(mapping),
            *reader.notes,
            # The page of each screenshot names the test.
            *map(printable, summarize_notes(replace(entry, notes=()) for entry in entries)),
        ],
    )


@dataclass(slots=True)
class ImageReader:
    """Reads images one after the other, and collects entries and problems."""

    limits: Limits
    spool: Spool | None
    files: dict[str, Path] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    converted: int = 0

    @property
    def notes(self) -> list[str]:
        if not self.converted:
            return []
        files = count_of(self.converted, "JPEG or WebP file", "JPEG or WebP files")
        return [f"{files} converted to PNG, pixel by pixel."]

    def read(self, folder: Path, images: list[ImageFile]) -> Iterator[Entry]:
        for image in images:
            try:
                yield self._read_image(image)
            except (OSError, ImageError) as error:
                inside = image.path.is_relative_to(folder)
                path = image.path.relative_to(folder) if inside else image.path
                self.problems.append(f"{path.as_posix()}: {error}")

    def _read_image(self, image: ImageFile) -> Entry:
        data = read_limited(image.path, self.limits)
        form = find_format(data)
        if is_animated_png(data):
            raise BrokenImageError("the PNG is an animation; publish one image of it")
        if not form or len(data) > self.limits.file_bytes:
            entry = make_entry(image, data, self.limits)
            self.files.setdefault(entry.sha256, image.path)
            return entry
        if self.spool is None:
            # The decoders of other formats are not made for files of people who are not trusted.
            raise BrokenImageError(
                f"is a {form}, which --images-only does not decode; write PNG in the job that "
                "takes the screenshots"
            )
        png = convert_exactly(data, form, self.limits)
        entry = make_entry(image, png, self.limits)
        self.spool.add(png)
        self.files.setdefault(entry.sha256, self.spool.files[entry.sha256])
        self.converted += 1
        return entry


def describe_reading(mapping: NameMapping) -> list[str]:
    """Return lines for the log: how names were read, and the parts missing in names."""
    lines = [f"Names are read as: {mapping.preset} (--explain shows each)."]
    for kind in ("theme", "device"):
        assumed = [image for image in mapping.images if kind in image.assumed]
        if assumed:
            value = getattr(assumed[0], kind)
            names = "name says" if len(assumed) == 1 else "names say"
            lines.append(f"{len(assumed)} {names} no {kind}: {value} (or pass --{kind}).")
    return lines


def describe_ignored(mapping: NameMapping) -> list[str]:
    """Return one line for each reason."""
    lines = []
    by_reason = sorted((reason, name) for name, reason in mapping.ignored.items())
    for reason, group in groupby(by_reason, key=lambda each: each[0]):
        names = [name for _, name in group]
        more = f" and {len(names) - SHOWN_IGNORED} more" if len(names) > SHOWN_IGNORED else ""
        shown = ", ".join(names[:SHOWN_IGNORED])
        unit = ("folder", "folders") if reason in FOLDER_REASONS else ("file", "files")
        files = count_of(len(names), *unit)
        lines.append(f"Ignored {files}: {shown}{more} ({reason}).")
    return lines


def find_format(data: bytes) -> str:
    """Return JPEG or WEBP by the first bytes, whatever the file is called; empty for others."""
    if data.startswith(_JPEG):
        return "JPEG"
    return "WEBP" if is_webp(data) else ""


def convert_exactly(data: bytes, form: str, limits: Limits) -> bytes:
    """Return a PNG of the same pixels. Raises ImageError."""
    if form == "WEBP":
        # Opening a WebP allocates the whole canvas, so the size is checked first.
        check_size(*read_webp_size(data), limits)
    try:
        with Image.open(io.BytesIO(data), formats=(form,)) as image:
            check_size(*image.size, limits)
            _require_exact(image, form)
            image.load()
            upright = _turn_upright(image)
            # Profiles and times in the file would make PNGs of equal pixels differ.
            return _write_png(Image.frombytes(upright.mode, upright.size, upright.tobytes()))
    except UnidentifiedImageError as error:
        raise BrokenImageError(f"the {form} is damaged") from error
    # Pillow's plugins raise all of these errors for damaged or truncated files.
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError) as error:
        raise BrokenImageError(f"the {form} is damaged: {error}") from error


def _require_exact(image: Image.Image, form: str) -> None:
    if getattr(image, "n_frames", 1) > 1:
        raise BrokenImageError(f"the {form} is an animation; publish one image of it as PNG")
    if image.mode not in _EXACT_MODES:
        raise BrokenImageError(
            f"the {form} has {image.mode} colors, which cannot be converted exactly; write a PNG"
        )


def _turn_upright(image: Image.Image) -> Image.Image:
    """Turn the image as browsers show it; a PNG has no orientation of its own."""
    turn = _TURNS.get(image.getexif().get(ExifTags.Base.Orientation, 1))
    return image if turn is None else image.transpose(turn)


def is_animated_png(data: bytes) -> bool:
    """Return whether the PNG has several frames, as only the first frame would be compared."""
    position = len(SIGNATURE)
    while data.startswith(SIGNATURE) and position + 12 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, position)
        if kind == b"IDAT":
            return False
        if kind == b"acTL":
            return int.from_bytes(data[position + 8 : position + 12]) > 1
        position += length + 12
    return False


def _write_png(image: Image.Image) -> bytes:
    target = io.BytesIO()
    image.save(target, "PNG")
    return target.getvalue()
