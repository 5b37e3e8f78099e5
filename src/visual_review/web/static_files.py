"""The static files of all installed applications, read once at the start of the process.

The URLs contain a digest of all files, so that browsers keep a file for good, and ask again after
an upgrade. Relative imports stay within one digest: a page never mixes two versions.
"""

import gzip
import hashlib
import logging
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Final

from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.storage import StaticFilesStorage

from visual_review.web.module_bundle import BundleError, bundle_modules, bundle_name

DIGEST_LENGTH: Final = 16
UNKNOWN_TYPE: Final = "application/octet-stream"
# The type of scripts differs between systems; browsers run modules of these types only.
TYPES: Final = {
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
COMPRESSIBLE: Final = frozenset({".css", ".js", ".mjs", ".svg", ".json", ".txt", ".map"})
# Modules sent together with all their imports.
BUNDLED: Final = ("web/review/main.js", "web/viewer/screenshot_viewer.js")
# A file that does not become this much smaller is sent uncompressed.
WORTHWHILE: Final = 0.9

logger = logging.getLogger(__name__)


class StaticFile:
    """One file: its bytes, and their compressed form after the first request for it."""

    def __init__(self, name: str, content: bytes) -> None:
        suffix = Path(name).suffix
        self.content = content
        # Weak, because the compressed bytes have the same one.
        self.etag = f'W/"{hashlib.sha256(content).hexdigest()[:DIGEST_LENGTH]}"'
        self.content_type = TYPES.get(suffix) or mimetypes.guess_type(name)[0] or UNKNOWN_TYPE
        if self.content_type.startswith("text/"):
            self.content_type += "; charset=utf-8"
        self._compressible = suffix in COMPRESSIBLE

    @cached_property
    def compressed(self) -> bytes | None:
        """The file in gzip format, or None where compression is not worthwhile."""
        if not self._compressible:
            return None
        found = gzip.compress(self.content, mtime=0)
        return found if len(found) < WORTHWHILE * len(self.content) else None


@dataclass(frozen=True)
class StaticFiles:
    """Files by their names, and the digest of all names and contents."""

    files: Mapping[str, StaticFile]
    digest: str

    def versioned(self, name: str) -> str:
        """Return the path of a file below ``/static/``."""
        return f"{self.digest}/{name}"

    def find(self, path: str) -> tuple[StaticFile | None, bool]:
        """Return the file of a path below ``/static/``, and whether the URL has this digest."""
        first, _, rest = path.partition("/")
        if first == self.digest:
            return self.files.get(rest), True
        # A page from before an upgrade, or from another process during one, has another digest.
        is_digest = len(first) == DIGEST_LENGTH and set(first) <= set("0123456789abcdef")
        return self.files.get(rest if is_digest else path), False


def make_static_files(contents: Mapping[str, bytes]) -> StaticFiles:
    """Return the files with these names and bytes."""
    files = {name: StaticFile(name, contents[name]) for name in sorted(contents)}
    listed = "\n".join(f"{name} {file.etag}" for name, file in files.items())
    return StaticFiles(files, hashlib.sha256(listed.encode()).hexdigest()[:DIGEST_LENGTH])


@cache
def static_files() -> StaticFiles:
    """Return the files as of the first call in the process."""
    contents: dict[str, bytes] = {}
    for finder in get_finders():
        for name, storage in finder.list([]):
            # The first file found counts, as for Django.
            contents.setdefault(Path(name).as_posix(), Path(storage.path(name)).read_bytes())
    return make_static_files({**contents, **_bundles(contents)})


def _bundles(contents: Mapping[str, bytes]) -> dict[str, bytes]:
    sources = {name: data.decode() for name, data in contents.items() if name.endswith(".js")}
    found = {}
    for entry in filter(sources.__contains__, BUNDLED):
        try:
            found[bundle_name(entry)] = bundle_modules(entry, sources).encode()
        except BundleError as error:
            logger.warning("pages load each module of %s by itself: %s", entry, error)
    return found


class VersionedStaticFiles(StaticFilesStorage):
    """The storage used by the ``static`` tag of templates for URLs."""

    def url(self, name: str | None) -> str:
        return super().url(static_files().versioned(name or ""))
