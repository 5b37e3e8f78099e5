"""The folder of a capture: all images of this run, or the content from before.

Images are staged in a hidden subfolder, on the same file system, so that only renaming is left when
the capture is complete.
"""

import errno
import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Self

from visual_review.client.capture.errors import CaptureError
from visual_review.client.capture.manifest import MANIFEST_FILE, CapturedImage, write_manifest
from visual_review.client.capture.results import CaptureReport
from visual_review.client.capture.variants import Variant, file_name
from visual_review.variants import DEVICES, THEMES

STAGING: Final = ".visual-review-capture"
# With this extension, a staged file left by a killed run is not taken for an image.
STAGED: Final = ".part"
FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
OTHER_FOLDER: Final = "Choose another folder with --output"


class OutputError(CaptureError):
    """The output folder cannot be written; the message says what the folder has now."""


class OutputFolder:
    """Context manager: ``write`` each image, then ``complete``; otherwise, nothing remains."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._staging = path / STAGING
        self._names: list[str] = []
        self._old: frozenset[str] = frozenset()
        self._created: list[Path] = []
        self._has_earlier = False

    def __enter__(self) -> Self:
        """Claim the folder. Raises ``OutputError`` for a folder with images of someone else."""
        with self._explained():
            self._check()
            self._created = [each for each in (self.path, *self.path.parents) if not each.exists()]
            try:
                self.path.mkdir(parents=True, exist_ok=True)
                self._remove_staging()
                self._staging.mkdir()
            except OSError:
                self._discard()
                raise
        return self

    def _check(self) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise OutputError(f"{self.path} is a file. {OTHER_FOLDER}.")
        self._has_earlier = (self.path / MANIFEST_FILE).exists()
        self._old = self._list_earlier_images() if self._has_earlier else frozenset()
        for each in sorted(self.path.iterdir()) if self.path.is_dir() else ():
            if each.suffix.lower() == ".png" and each.name not in self._old:
                raise OutputError(
                    f"{self.path} has images that are not of a complete capture, such as "
                    f"{each.name}; they would be taken for images of this one. {OTHER_FOLDER}, or "
                    "delete them."
                )

    def _list_earlier_images(self) -> frozenset[str]:
        """Return the names of the images listed in the manifest of the folder."""
        path = self.path / MANIFEST_FILE
        try:
            # Read loosely: other versions may list more, and only these names are used.
            listed = json.loads(path.read_text(encoding="utf-8"))["screenshots"]
            return frozenset(
                file_name(each["storyId"], Variant(each["theme"], each["device"]))
                for each in listed
                if each["theme"] in THEMES and each["device"] in DEVICES
            )
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise OutputError(
                f"{path} was not written by `visual-review capture`. {OTHER_FOLDER}, or delete it."
            ) from error

    def write(self, name: str, png: bytes) -> None:
        """Stage one image. Raises ``OutputError``."""
        with self._explained():
            # Exclusive, because file systems differ in which names are the same.
            with (self._staging / f"{name}{STAGED}").open("xb") as file:
                file.write(png)
            self._names.append(name)

    def complete(self, report: CaptureReport, shots: Sequence[CapturedImage]) -> None:
        """Replace the earlier capture by this one. Raises ``OutputError``."""
        with self._explained():
            write_manifest(self._staging, report, shots)
        # From here on nothing needs space. After an interruption at any point, the folder has a
        # manifest with all images of ours, so that the next capture may replace the images.
        with self._explained():
            for name in self._old.difference(self._names):
                (self.path / name).unlink(missing_ok=True)
            (self._staging / MANIFEST_FILE).replace(self.path / MANIFEST_FILE)
            for name in self._names:
                (self._staging / f"{name}{STAGED}").replace(self.path / name)
        self._created = []

    def __exit__(self, *_: object) -> None:
        self._discard()

    def _discard(self) -> None:
        with suppress(OSError):
            self._remove_staging()
        for folder in self._created:
            # Something else may have been put there meanwhile.
            with suppress(OSError):
                folder.rmdir()

    def _remove_staging(self) -> None:
        if self._staging.is_dir() and not self._staging.is_symlink():
            shutil.rmtree(self._staging)
        else:
            self._staging.unlink(missing_ok=True)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        kept = (
            "The earlier capture in it is kept." if self._has_earlier else "Nothing is left in it."
        )
        try:
            yield
        except FileExistsError as error:
            raise OutputError(
                f"{self.path} cannot have a file for each story: {error.filename} is that of "
                f"another one. Give the stories IDs that differ in more than case. {kept}"
            ) from error
        except OSError as error:
            if error.errno in FULL:
                raise OutputError(
                    f"There is no space left for {self.path}. {kept} Free some space or choose "
                    "another folder with --output."
                ) from error
            where = error.filename or self.path
            raise OutputError(
                f"{where} cannot be written: {error.strerror or error}. {kept}"
            ) from error
