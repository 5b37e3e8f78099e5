"""The description of the images of a capture, for publishing the images elsewhere.

The publishing job may have credentials that the capturing job must not get. Its input was written
next to unreviewed code, so nothing in the manifest is trusted.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from visual_review.client.capture.errors import CaptureError
from visual_review.client.capture.notes import (
    KIND_LENGTH,
    MOST_NOTES,
    TEXT_LENGTH,
    NoteText,
    describe_all,
)
from visual_review.client.capture.results import (
    CaptureReport,
    Region,
    Renderer,
    Shot,
    parse_regions,
)
from visual_review.client.capture.sources.fingerprint import NOT_HASHED, Fingerprint
from visual_review.client.capture.themes import ThemeFinding, read_finding
from visual_review.client.capture.variants import Variant
from visual_review.variants import DEVICES, THEMES

MANIFEST_FILE: Final = "visual-review-capture.json"
VERSION: Final = 1
# Far more than the largest build; a job must not run out of memory because of one file.
MAX_BYTES: Final = 64 << 20
MAX_SCREENSHOTS: Final = 300_000
# The limits of the CI interface; the server checks the limits again.
STORY_LENGTH: Final = 300
TITLE_LENGTH: Final = 500
ERROR_LENGTH: Final = 2000
RENDERER_LENGTH: Final = 200
FLAGS: Final = 100
KIND_NAME: Final = re.compile(r"[a-z][a-z-]*")
SOURCE_HASH: Final = re.compile(r"[0-9A-Za-z._:+/=-]{0,64}")
WRITTEN_BY: Final = "Write it with `visual-review capture` of the same version."


@dataclass(frozen=True, slots=True)
class CapturedImage:
    """One screenshot of a capture; with an ``error`` there is no image."""

    story_id: str
    title: str
    variant: Variant
    hashes: Fingerprint = NOT_HASHED
    threshold: float | None = None
    error: str = ""
    # Why the page was still changing; empty for a page without changes.
    unstable: str = ""
    regions: tuple[Region, ...] = ()
    # Further findings of the capture.
    notes: tuple[NoteText, ...] = ()


@dataclass(frozen=True, slots=True)
class Manifest:
    renderer: Renderer
    screenshots: Sequence[CapturedImage]
    themes: ThemeFinding | None = None


def describe_shot(shot: Shot, hashes: Fingerprint) -> CapturedImage:
    """Return the entry of ``shot``, with texts shortened to the limits of the CI interface."""
    error, unstable = "", (shot.unstable or "")[:ERROR_LENGTH]
    if shot.png is None:
        error = (shot.error or "The capture gave no image and no error.")[:ERROR_LENGTH]
    title = f"{shot.story.title}/{shot.story.name}"[:TITLE_LENGTH]
    return CapturedImage(
        shot.story.id,
        title,
        shot.variant,
        hashes,
        shot.threshold,
        error,
        unstable,
        shot.regions,
        describe_all(shot.notes),
    )


def write_manifest(folder: Path, report: CaptureReport, shots: Sequence[CapturedImage]) -> None:
    """Write the manifest, sorted, so that two runs write the same file."""
    renderer = report.renderer
    document = {
        "version": VERSION,
        "renderer": {
            "browser": renderer.browser,
            "version": renderer.version,
            "flags": list(renderer.flags),
        },
        **({"themes": report.themes.to_json()} if report.themes else {}),
        "screenshots": [
            _to_json(shot) for shot in sorted(shots, key=lambda shot: (shot.story_id, shot.variant))
        ],
    }
    (folder / MANIFEST_FILE).write_text(json.dumps(document, indent=1), encoding="utf-8")


def _to_json(shot: CapturedImage) -> dict[str, Any]:
    body = {
        "storyId": shot.story_id,
        "title": shot.title,
        "theme": shot.variant.theme,
        "device": shot.variant.device,
        "sourceHash": shot.hashes.source,
        "rendererHash": shot.hashes.renderer,
        "threshold": shot.threshold,
        "error": shot.error,
        "unstable": shot.unstable,
        "regions": [asdict(region) for region in shot.regions],
        "notes": [asdict(note) for note in shot.notes],
    }
    return {name: value for name, value in body.items() if value not in ("", None, [])}


def read_manifest(folder: Path) -> Manifest | None:
    """Return the manifest of ``folder``, or None without a manifest.

    Raises ``CaptureError`` if the manifest differs from the format of ``write_manifest``.
    """
    path = folder / MANIFEST_FILE
    if path.is_symlink():
        raise CaptureError(f"{path} is a link. {WRITTEN_BY}")
    if not path.is_file():
        return None
    try:
        with path.open("rb") as file:
            return _parse(_load(file.read(MAX_BYTES + 1)))
    except (OSError, ValueError, RecursionError) as error:
        raise CaptureError(f"{path} cannot be used: {error}. {WRITTEN_BY}") from error


def _load(data: bytes) -> object:
    if len(data) > MAX_BYTES:
        raise ValueError(f"it is larger than {MAX_BYTES >> 20} MB")
    return json.loads(data)


def _parse(document: object) -> Manifest:
    body = _object(document, "it")
    if body.get("version") != VERSION:
        raise ValueError(f"its version is {body.get('version')!r}, not {VERSION}")
    listed = _list(body.get("screenshots"), "screenshots", MAX_SCREENSHOTS)
    screenshots = [_parse_screenshot(each, number) for number, each in enumerate(listed)]
    if len({(each.story_id, each.variant) for each in screenshots}) < len(screenshots):
        raise ValueError("it lists a story twice in the same variant")
    renderer = _parse_renderer(_object(body.get("renderer"), "renderer"))
    themes = body.get("themes")
    finding = None if themes is None else read_finding(_object(themes, "themes"))
    return Manifest(renderer, screenshots, finding)


def _parse_renderer(body: Mapping[str, Any]) -> Renderer:
    flags = _list(body.get("flags"), "renderer.flags", FLAGS)
    return Renderer(
        _string(body.get("browser"), "renderer.browser", RENDERER_LENGTH),
        _string(body.get("version"), "renderer.version", RENDERER_LENGTH),
        tuple(_string(each, "renderer.flags", RENDERER_LENGTH) for each in flags),
    )


def _parse_screenshot(value: object, number: int) -> CapturedImage:
    where = f"screenshots[{number}]"
    body = _object(value, where)
    theme = next((name for name in THEMES if name == body.get("theme")), None)
    device = next((name for name in DEVICES if name == body.get("device")), None)
    if theme is None or device is None:
        raise ValueError(f"{where} has no theme or device that exists")
    story_id = _string(body.get("storyId"), f"{where}.storyId", STORY_LENGTH)
    names = ("sourceHash", "rendererHash")
    hashes = [_string(body.get(each, ""), f"{where}.{each}", STORY_LENGTH) for each in names]
    if not story_id or not all(map(SOURCE_HASH.fullmatch, hashes)):
        raise ValueError(f"{where} has no story ID, or a hash that is not one")
    return CapturedImage(
        story_id,
        _string(body.get("title", ""), f"{where}.title", TITLE_LENGTH) or story_id,
        Variant(theme, device),
        Fingerprint(*hashes),
        _threshold(body.get("threshold"), where),
        _string(body.get("error", ""), f"{where}.error", ERROR_LENGTH),
        _string(body.get("unstable", ""), f"{where}.unstable", ERROR_LENGTH),
        parse_regions(body.get("regions", []), where),
        _notes(body.get("notes", []), f"{where}.notes"),
    )


def _notes(value: object, where: str) -> tuple[NoteText, ...]:
    bodies = [_object(each, where) for each in _list(value, where, MOST_NOTES)]
    return tuple(
        NoteText(
            _name(body.get("kind"), where),
            _string(body.get("text"), where, TEXT_LENGTH),
        )
        for body in bodies
    )


def _name(value: object, where: str) -> str:
    name = _string(value, where, KIND_LENGTH)
    if not KIND_NAME.fullmatch(name):
        raise ValueError(f"{where} has a kind that is not one")
    return name


def _threshold(value: object, where: str) -> float | None:
    if value is None:
        return None
    number = value if isinstance(value, (int, float)) and not isinstance(value, bool) else math.nan
    # The comparison is also false for a value other than a number.
    if not 0 <= number <= 1:
        raise ValueError(f"{where}.threshold is not a number from 0 to 1")
    return float(number)


def _object(value: object, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{where} is not an object")  # noqa: TRY004 - One error for all of it.
    return value


def _list(value: object, where: str, longest: int) -> list[Any]:
    if not isinstance(value, list) or len(value) > longest:
        raise ValueError(f"{where} is not a list of at most {longest}")
    return value


def _string(value: object, where: str, longest: int) -> str:
    if not isinstance(value, str) or len(value) > longest:
        raise ValueError(f"{where} is not a string of at most {longest} characters")
    return value
