"""A web server of a few files, for pages that need nothing of the service."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

from tests.support.hosts.local_server import LocalServer, ReceivedRequest, Reply, local_server

KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript",
    ".css": "text/css",
    ".png": "image/png",
}
SECONDS = 60


@dataclass
class StaticSite:
    """``files`` by path, which a test may change; a path in ``held`` waits until its event."""

    folders: dict[str, Path]
    files: dict[str, bytes] = field(default_factory=dict)
    held: dict[str, Event] = field(default_factory=dict)
    address: str = ""

    def respond(self, request: ReceivedRequest) -> Reply:
        if request.path in self.held:
            self.held[request.path].wait(SECONDS)
        data = self.read(request.path)
        if data is None:
            return Reply(404, [b"There is no such file."], kind="text/plain")
        return Reply(200, [data], kind=KINDS[Path(request.path).suffix])

    def read(self, path: str) -> bytes | None:
        if path in self.files:
            return self.files[path]
        for prefix, folder in self.folders.items():
            file = folder / path.removeprefix(prefix)
            if path.startswith(prefix) and file.is_file():
                return file.read_bytes()
        return None


@contextmanager
def static_site(**folders: Path) -> Iterator[StaticSite]:
    """Serve each folder below the path of its name."""
    site = StaticSite({f"/{name}/": folder for name, folder in folders.items()})
    server: LocalServer
    with local_server(site.respond) as server:
        site.address = server.address
        try:
            yield site
        finally:
            for event in site.held.values():
                event.set()
