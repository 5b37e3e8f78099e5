"""Serves a built Storybook to the local browser: on loopback only, no file outside it."""

import io
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import BinaryIO, Self
from urllib.parse import unquote, urlsplit

LOOPBACK = "127.0.0.1"

# Browsers reject modules and styles of the wrong type, and the system's table may lack them.
MIME_TYPES = {
    ".avif": "image/avif",
    ".cjs": "text/javascript",
    ".css": "text/css",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript",
    ".json": "application/json",
    ".map": "application/json",
    ".mjs": "text/javascript",
    ".otf": "font/otf",
    ".svg": "image/svg+xml",
    ".ttf": "font/ttf",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
}


def resolve(root: Path, target: str) -> Path | None:
    """Return the file below ``root`` that a request target names, or None.

    ``root`` must be a resolved path. Links are followed, but not out of ``root``.
    """
    try:
        # Resolved before it is checked: links and dots may lead anywhere.
        path = (root / unquote(urlsplit(target).path).lstrip("/")).resolve()
        if path.is_dir():
            path /= "index.html"
        return path if path.is_relative_to(root) and path.is_file() else None
    except (OSError, ValueError, RuntimeError):
        return None


class _Handler(SimpleHTTPRequestHandler):
    # For persistent connections: a Storybook has hundreds of files.
    protocol_version = "HTTP/1.1"
    extensions_map = SimpleHTTPRequestHandler.extensions_map | MIME_TYPES

    def send_head(self) -> io.BytesIO | BinaryIO | None:
        # The base class would redirect a directory without a slash to a listing.
        if resolve(Path(self.directory), self.path) is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return None
        return super().send_head()

    def translate_path(self, path: str) -> str:
        return str(resolve(Path(self.directory), path) or Path(self.directory) / "404")

    def log_message(self, *_: object) -> None:
        """Log nothing: failed requests are reported with the story."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # The page of each worker requests all its modules at once.
    request_queue_size = 128

    def handle_error(self, *_: object) -> None:
        """Ignore browsers that close the connection during a response."""


class StaticServer:
    """Context manager that serves ``folder`` on a free port of the loopback interface."""

    def __init__(self, folder: Path) -> None:
        handler = partial(_Handler, directory=str(folder.resolve()))
        self._server = _Server((LOOPBACK, 0), handler)
        self._thread = Thread(target=self._server.serve_forever, args=(0.1,), daemon=True)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
