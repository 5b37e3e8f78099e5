"""The contents of a build before it is uploaded."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from visual_review.client.capture import (
    NOT_HASHED,
    Device,
    Fingerprint,
    Region,
    Renderer,
    Theme,
    Variant,
)
from visual_review.client.capture.notes import NoteText
from visual_review.client.capture.themes import ThemeFinding
from visual_review.client.transport.errors import PublishError


@dataclass(frozen=True, slots=True)
class Entry:
    """One screenshot of the manifest: an image, or the error that prevented it.

    ``unstable`` says why the page was still changing, empty if it was not; ``notes`` are what
    else the capture found, ``regions`` what the story ignores.
    """

    story_id: str
    title: str
    variant: Variant
    sha256: str = ""
    width: int = 0
    height: int = 0
    hashes: Fingerprint = NOT_HASHED
    threshold: float | None = None
    error: str = ""
    unstable: str = ""
    regions: tuple[Region, ...] = ()
    notes: tuple[NoteText, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the entry as the CI interface of every version expects it."""
        body: dict[str, Any] = {
            "storyId": self.story_id,
            "title": self.title,
            "theme": self.variant.theme,
            "device": self.variant.device,
        }
        if self.hashes.source:
            body["sourceHash"] = self.hashes.source
        if self.hashes.renderer:
            body["rendererHash"] = self.hashes.renderer
        if self.error:
            return {**body, "error": self.error}
        if self.threshold is not None:
            body["threshold"] = self.threshold
        return {**body, "sha256": self.sha256, "width": self.width, "height": self.height}


@dataclass(frozen=True, slots=True)
class BuildContents:
    """Everything to publish; ``files`` has the image of each hash once.

    ``story_ids`` are all existing stories, set for a partial build only, and ``chosen`` those of a
    Storybook that were to be captured; without an entry, their own parameters exclude them. ``notes`` are lines
    for the log: what was skipped or is worth a look. ``theme_finding`` is the evidence of how
    the theme was switched, None if that is not known. ``sources_digest`` is of the source hashes
    of all stories of the baseline, ``sources`` are the stories of each source file.
    """

    entries: Sequence[Entry]
    files: Mapping[str, Path]
    themes: tuple[Theme, ...]
    devices: tuple[Device, ...]
    detection: tuple[Variant, ...] = ()
    renderer: Renderer | None = None
    story_ids: Sequence[str] | None = None
    chosen: Sequence[str] = ()
    sources_digest: str = ""
    sources: Mapping[str, Sequence[str]] = field(default_factory=dict)
    notes: Sequence[str] = field(default=())
    theme_finding: ThemeFinding | None = None

    @property
    def failed(self) -> int:
        return sum(1 for entry in self.entries if entry.error)


class Spool:
    """Stores captured images in a folder instead of in memory, equal ones once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: dict[str, Path] = {}

    def add(self, png: bytes) -> str:
        """Store the image and return its SHA-256 in hex."""
        digest = hashlib.sha256(png).hexdigest()
        if digest not in self.files:
            path = self.folder / digest
            try:
                path.write_bytes(png)
            except OSError as error:
                raise PublishError(
                    f"The captured images cannot be stored in {self.folder.parent}: "
                    f"{error.strerror or error}. Free some space there, or set TMPDIR to a folder "
                    "that has more."
                ) from error
            self.files[digest] = path
        return digest
