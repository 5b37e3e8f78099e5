"""Serves a built Storybook to the local browser: on loopback only, no file outside the folder."""

import json
import os
import posixpath
import signal
import socket
import stat
import subprocess
import sys
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import Any, BinaryIO, Self
from urllib.parse import quote, unquote, urlsplit

from visual_review.client.capture.chromium import select_variables
from visual_review.client.capture.errors import CaptureError
from visual_review.client.capture.preview_page import (
    ROOT,
    find_sub_path,
    find_tail,
    require_modules,
)
from visual_review.client.capture.stories import PREVIEW_FILE

LOOPBACK = "127.0.0.1"
# The page of each worker requests all of its modules at once.
BACKLOG = 128
END_SECONDS = 5.0
SERVER_ENDED = (
    "The process that serves the Storybook's files ended. Capture again; if it ends again, look for "
    "its error above, and whether the machine has enough memory."
)

# Browsers reject modules and styles of the wrong type, and the system's table may be incomplete.
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
    """Return the file below ``root`` for a request target, or None.

    ``root`` must be a resolved path. Links are followed, but not out of ``root``.
    """
    try:
        # Resolved before the check: links and dots may lead anywhere.
        path = (root / unquote(urlsplit(target).path).lstrip("/")).resolve()
        if path.is_dir():
            path = (path / "index.html").resolve()
        return path if path.is_relative_to(root) and path.is_file() else None
    except (OSError, ValueError, RuntimeError):
        return None


def open_regular(path: Path) -> BinaryIO | None:
    """Open a resolved path; None unless it is a regular file, and did not become a link meanwhile."""
    # A pipe would keep the thread waiting.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(path, flags | getattr(os, "O_BINARY", 0))
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    return os.fdopen(descriptor, "rb")


class Site:
    """A folder at its sub-path; ``path`` begins and ends with a slash."""

    def __init__(self, folder: Path) -> None:
        self.root = folder.resolve()
        self.path = find_sub_path(self.root)
        self._other_paths: dict[str, str] = {}

    def find(self, target: str) -> Path | None:
        """Return the file for a request target, or None."""
        # Dots may lead out of the sub-path, as in browsers.
        path = posixpath.normpath(unquote(urlsplit(target).path).replace("\0", ""))
        if self.path != ROOT:
            return self._find_inside(path)
        return resolve(self.root, target) or self._find_below_another_path(target)

    def _find_inside(self, path: str) -> Path | None:
        while f"{path}/".startswith(self.path):
            path = path[len(self.path) - 1 :]
            if found := resolve(self.root, quote(path)):
                return found
            # Storybook's page for webpack names its scripts by the path twice.
        return None

    def _find_below_another_path(self, target: str) -> Path | None:
        found = find_tail(self.root, target)
        if found is None:
            return None
        path, tail = found
        self._other_paths.setdefault(path, tail)
        return resolve(self.root, quote(tail))

    def notices(self) -> list[str]:
        """Return a sentence for each sub-path that the Storybook was built for."""
        lines = []
        if self.path != ROOT:
            lines.append(f"Served below {self.path.rstrip('/')}, as it was built for.")
        for path, tail in sorted(self._other_paths.items()):
            lines.append(
                f"Stories request files below {path.rstrip('/')}, which the Storybook does not "
                f"name as its path; they got those of its folder, such as {tail}."
            )
        return lines


class _Handler(SimpleHTTPRequestHandler):
    # For persistent connections: a Storybook has hundreds of files.
    protocol_version = "HTTP/1.1"
    extensions_map = SimpleHTTPRequestHandler.extensions_map | MIME_TYPES

    def __init__(self, *arguments: Any, site: Site) -> None:  # noqa: ANN401 - Passed on unchanged.
        self._site = site
        super().__init__(*arguments, directory=str(site.root))

    def send_head(self) -> BinaryIO | None:
        # The base class would redirect a directory without a slash to a listing.
        path = self._site.find(self.path)
        file = None if path is None else open_regular(path)
        if path is None or file is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return None
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Length", str(os.fstat(file.fileno()).st_size))
        self.end_headers()
        return file

    def end_headers(self) -> None:
        # The folder does not change during a run, and no browser outlives the run.
        self.send_header("Cache-Control", "max-age=86400, immutable")
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """Log nothing: failed requests are reported with the story."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Ignore browsers that close the connection during a response."""


class StaticServer:
    """Context manager for serving ``folder`` on a free port of the loopback interface.

    The server is a process of its own without secrets, as CI jobs have secrets in their
    environment. Raises ``CaptureError`` if the scripts of the preview are missing.
    """

    port: int

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = Site(folder).path
        require_modules(folder, self._path)

    @property
    def preview_path(self) -> str:
        """The URL path of the preview's page."""
        return f"{self._path}{PREVIEW_FILE}"

    def notices(self) -> list[str]:
        """Return sentences for the user about how the Storybook was served."""
        try:
            self._input.write("\n")
            self._input.flush()
            notices: list[str] = json.loads(self._output.readline())
        except (OSError, ValueError) as error:
            raise CaptureError(SERVER_ENDED) from error
        return notices

    def __enter__(self) -> Self:
        kept = {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
        command = [sys.executable, "-P", "-m", "visual_review.client.capture.server"]
        # The browser starts meanwhile: first requests wait until the server accepts connections.
        with socket.create_server((LOOPBACK, 0), backlog=BACKLOG) as listening:
            self.port = listening.getsockname()[1]
            self._process = subprocess.Popen(  # noqa: S603 - This very module, and a folder.
                [*command, str(listening.fileno()), self._folder],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=(listening.fileno(),),
                env=select_variables(os.environ) | kept,
                text=True,
            )
        if self._process.stdin is None or self._process.stdout is None:
            raise AssertionError("A process with pipes has both.")
        self._input, self._output = self._process.stdin, self._process.stdout
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def _end(self) -> None:
        # The server ends with its input, also when this process is killed.
        with suppress(BrokenPipeError):
            self._input.close()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._output.close()


def main(descriptor: str, folder: str) -> None:
    """Serve ``folder`` at a listening socket; print the notices for each line of the input."""
    # Ctrl-C is for the capture, which ends this process by the end of the input.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    site = Site(Path(folder))
    server = _Server((LOOPBACK, 0), partial(_Handler, site=site), bind_and_activate=False)
    server.socket.close()
    server.socket = socket.socket(fileno=int(descriptor))
    Thread(target=server.serve_forever, args=(0.1,), daemon=True).start()
    for _ in sys.stdin:
        print(json.dumps(site.notices()), flush=True)  # noqa: T201 - For the parent.


if __name__ == "__main__":
    main(*sys.argv[1:])
