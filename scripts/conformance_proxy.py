"""A proxy that adds a credential to every request, for programs without credentials."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Final, cast
from urllib.parse import urlsplit

RESPONSE_SECONDS: Final = 60
# Headers of one connection: each side of the proxy has its own.
CONNECTION_HEADERS: Final = frozenset(
    {"connection", "content-length", "date", "keep-alive", "server", "transfer-encoding"}
)


class KeyProxy(ThreadingHTTPServer):
    """Listens on a free port of this machine and forwards every request to ``target``."""

    daemon_threads = True

    def __init__(self, target: str, key: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.target = urlsplit(target).netloc
        self.key = key
        self.netloc = f"127.0.0.1:{self.server_port}"

    @property
    def url(self) -> str:
        return f"http://{self.netloc}"

    def rewrite_header(self, name: str, value: str) -> str:
        """Replace the proxy's own origin in Host and Origin by the server's.

        Every other value is forwarded: only the server may refuse the value.
        """
        if name.lower() == "host" and value == self.netloc:
            return self.target
        if name.lower() == "origin" and value == self.url:
            return f"http://{self.target}"
        return value


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def log_message(self, *words: object) -> None:
        """Log nothing: the suite prints enough."""

    def _forward(self) -> None:
        proxy = cast("KeyProxy", self.server)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        connection = HTTPConnection(proxy.target, timeout=RESPONSE_SECONDS)
        connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            if name.lower() not in CONNECTION_HEADERS:
                connection.putheader(name, proxy.rewrite_header(name, value))
        connection.putheader("Authorization", f"Bearer {proxy.key}")
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        response = connection.getresponse()
        content = response.read()
        connection.close()
        self.send_response_only(response.status, response.reason)
        for name, value in response.getheaders():
            if name.lower() not in CONNECTION_HEADERS:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    # The library calls these methods by name.
    do_GET = do_POST = do_DELETE = do_OPTIONS = _forward  # noqa: N815


@contextmanager
def key_proxy(target: str, key: str) -> Iterator[str]:
    """Run a proxy until the block ends; yield its URL."""
    with KeyProxy(target, key) as proxy:
        thread = Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield proxy.url
        finally:
            proxy.shutdown()
            thread.join()
