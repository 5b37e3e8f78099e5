"""Files shared by several runs: images by hash, and the latest responses of the server.

A file is written under a temporary name and then renamed, so that no other run sees half a file.
Each run reads images into a folder of its own, so that no other run deletes these images.
"""

import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from platformdirs import user_cache_path

from visual_review.client.transport.errors import InputError

FOLDER_VARIABLE: Final = "VISUAL_REVIEW_CACHE_DIR"
SIZE_VARIABLE: Final = "VISUAL_REVIEW_CACHE_MB"
DEFAULT_MEGABYTES: Final = 1024
IMAGES: Final = "images"
BASELINES: Final = "baselines"
STORYBOOKS: Final = "storybooks"
# Each entry is as large as a built Storybook.
MOST_STORYBOOKS: Final = 3
IN_USE_SECONDS: Final = 3600
# Deleting more than necessary after a run leaves room for the next runs.
KEPT_SHARE: Final = 0.8


class Cache:
    """Every method for writing raises InputError if the folder is not writable."""

    def __init__(self, folder: Path, most_bytes: int) -> None:
        self.folder = folder
        self._most_bytes = most_bytes

    def find_image(self, sha256: str) -> bytes | None:
        """Return the image if present and undamaged; delete a damaged image."""
        path = self._image_path(sha256)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        if hashlib.sha256(data).hexdigest() != sha256:
            path.unlink(missing_ok=True)
            return None
        with suppress(OSError):
            # The images used last are kept longest.
            os.utime(path)
        return data

    def store_image(self, sha256: str, data: bytes) -> None:
        self._write(self._image_path(sha256), data)

    def find_document(self, name: object) -> tuple[Mapping[str, Any], datetime] | None:
        """Return the document stored under the name, and the time of storing."""
        path = self._document_path(name)
        try:
            body = json.loads(path.read_bytes())
            written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        except (OSError, ValueError):
            return None
        return (body, written) if isinstance(body, dict) else None

    def store_document(self, name: object, body: Mapping[str, Any]) -> None:
        self._write(self._document_path(name), json.dumps(body).encode())

    def find_storybook(self, name: object) -> Path | None:
        """Return the built Storybook with this name."""
        path = self.folder / STORYBOOKS / _digest(name)
        if not path.is_dir():
            return None
        with suppress(OSError):
            os.utime(path)
        return path

    def store_storybook(self, name: object, built: Path) -> Path:
        """Copy a built Storybook into the cache; another run may have stored the same."""
        target = self.folder / STORYBOOKS / _digest(name)
        temporary = Path(f"{target}.{os.getpid()}")
        try:
            shutil.copytree(built, temporary)
            # Renaming fails if another run has just stored the same Storybook.
            with suppress(OSError):
                temporary.rename(target)
        except (OSError, shutil.Error) as error:
            raise self._make_error(error) from error
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
        return target

    def make_folder(self, name: str) -> Path:
        """Return a folder for files not counted in the size of the cache."""
        path = self.folder / name
        try:
            path.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise self._make_error(error) from error
        return path

    def trim(self) -> None:
        """Delete the least recently used files until the cache is small enough."""
        for path in _newest_first(self.folder / STORYBOOKS, "*")[MOST_STORYBOOKS:]:
            # Another run may be copying or capturing the Storybook.
            if _used_at(path) < time.time() - IN_USE_SECONDS:
                shutil.rmtree(path, ignore_errors=True)
        total = 0
        files = _newest_first(self.folder / IMAGES, "*/*.png")
        files += _newest_first(self.folder / BASELINES, "*.json")
        sizes = {path: _size(path) for path in files}
        if sum(sizes.values()) <= self._most_bytes:
            return
        for path in sorted(files, key=_used_at, reverse=True):
            total += sizes[path]
            if total > self._most_bytes * KEPT_SHARE:
                with suppress(OSError):
                    path.unlink()

    def _image_path(self, sha256: str) -> Path:
        return self.folder / IMAGES / sha256[:2] / f"{sha256}.png"

    def _document_path(self, name: object) -> Path:
        return self.folder / BASELINES / f"{_digest(name)}.json"

    def _write(self, path: Path, data: bytes) -> None:
        temporary = ""
        try:
            # Images of a product are for the product's team, not for everyone on this machine.
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
                temporary = file.name
                file.write(data)
            Path(temporary).replace(path)
        except OSError as error:
            if temporary:
                Path(temporary).unlink(missing_ok=True)
            raise self._make_error(error) from error

    def _make_error(self, error: Exception) -> InputError:
        reason = error.strerror if isinstance(error, OSError) else None
        return InputError(
            f"The cache in {self.folder} cannot be written: {reason or error}. Free some space, or "
            f"set {FOLDER_VARIABLE} to a folder that has more."
        )


def open_cache(environment: Mapping[str, str]) -> Cache:
    """Return the cache of this user. Raises InputError if the size is not a number."""
    folder = environment.get(FOLDER_VARIABLE, "").strip()
    size = environment.get(SIZE_VARIABLE, "").strip() or str(DEFAULT_MEGABYTES)
    if not size.isascii() or not size.isdigit():
        raise InputError(f"{SIZE_VARIABLE} is {size!r}, not a number of megabytes.")
    path = Path(folder) if folder else user_cache_path("visual-review", appauthor=False)
    return Cache(path, int(size) * 1024 * 1024)


def _digest(name: object) -> str:
    return hashlib.sha256(json.dumps(name, sort_keys=True).encode()).hexdigest()


def _newest_first(folder: Path, pattern: str) -> list[Path]:
    return sorted(folder.glob(pattern), key=_used_at, reverse=True)


def _used_at(path: Path) -> float:
    # Another run may have deleted the file meanwhile.
    with suppress(OSError):
        return path.stat().st_mtime
    return 0.0


def _size(path: Path) -> int:
    with suppress(OSError):
        return path.stat().st_size
    return 0
