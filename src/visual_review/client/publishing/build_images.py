"""The contents of a build before the upload."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from visual_review.client.capture import NOT_HASHED, Fingerprint, Region, Renderer, Variant
from visual_review.client.capture.notes import NoteText
from visual_review.client.capture.themes import ThemeFinding
from visual_review.client.transport.errors import PublishError
from visual_review.variants import Device, Theme


@dataclass(frozen=True, slots=True)
class Entry:
    """One screenshot of the manifest: an image, or an error in place of the image."""

    story_id: str
    title: str
    variant: Variant
    sha256: str = ""
    width: int = 0
    height: int = 0
    hashes: Fingerprint = NOT_HASHED
    threshold: float | None = None
    error: str = ""
    # Why the page was still changing; empty for a page without changes.
    unstable: str = ""
    # Ignored by the story.
    regions: tuple[Region, ...] = ()
    # Further findings of the capture.
    notes: tuple[NoteText, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the entry as every version of the CI interface expects it."""
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
    """Everything to publish."""

    entries: Sequence[Entry]
    # One image file for each hash.
    files: Mapping[str, Path]
    themes: tuple[Theme, ...]
    devices: tuple[Device, ...]
    detection: tuple[Variant, ...] = ()
    renderer: Renderer | None = None
    # All existing stories, only for a partial build.
    story_ids: Sequence[str] | None = None
    # Stories of a Storybook chosen for capture; parameters of a chosen story without an entry
    # exclude it.
    chosen: Sequence[str] = ()
    # Digest of the source hashes of all stories of the baseline.
    sources_digest: str = ""
    # The stories of each source file.
    sources: Mapping[str, Sequence[str]] = field(default_factory=dict)
    # Lines for the log: skipped stories, and findings worth a look.
    notes: Sequence[str] = field(default=())
    # Evidence of how the theme was switched, None if unknown.
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
