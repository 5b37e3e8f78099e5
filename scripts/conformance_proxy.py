"""Stands before a server and adds a credential to every request, for programs that send none."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Final, cast
from urllib.parse import urlsplit

RESPONSE_SECONDS: Final = 60
# These belong to one connection; each side has its own.
OF_A_CONNECTION: Final = frozenset(
    {"connection", "content-length", "date", "keep-alive", "server", "transfer-encoding"}
)


class KeyProxy(ThreadingHTTPServer):
    """Listens at a free port of this machine and passes all on to ``target``."""

    daemon_threads = True

    def __init__(self, target: str, key: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.target = urlsplit(target).netloc
        self.key = key
        self.own = f"127.0.0.1:{self.server_port}"

    @property
    def url(self) -> str:
        return f"http://{self.own}"

    def as_seen_behind(self, name: str, value: str) -> str:
        """Our own address in Host and Origin becomes the server's.

        Every other value goes through, or nobody could see that the server refuses it.
        """
        if name.lower() == "host" and value == self.own:
            return self.target
        if name.lower() == "origin" and value == self.url:
            return f"http://{self.target}"
        return value


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def log_message(self, *words: object) -> None:
        """Say nothing: the suite tells what matters."""

    def _pass_on(self) -> None:
        proxy = cast("KeyProxy", self.server)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        connection = HTTPConnection(proxy.target, timeout=RESPONSE_SECONDS)
        connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            if name.lower() not in OF_A_CONNECTION:
                connection.putheader(name, proxy.as_seen_behind(name, value))
        connection.putheader("Authorization", f"Bearer {proxy.key}")
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        self.send_response_only(answer.status, answer.reason)
        for name, value in answer.getheaders():
            if name.lower() not in OF_A_CONNECTION:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    # The library's names for what answers each method.
    do_GET = do_POST = do_DELETE = do_OPTIONS = _pass_on  # noqa: N815


@contextmanager
def key_proxy(target: str, key: str) -> Iterator[str]:
    """The address of a proxy that runs until the block ends."""
    with KeyProxy(target, key) as proxy:
        thread = Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield proxy.url
        finally:
            proxy.shutdown()
            thread.join()
