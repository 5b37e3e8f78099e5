"""The web application on a real port, in a thread of the test's process."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from pytest_django.fixtures import Settings

from visual_review.config.http.asgi import make_application
from visual_review.config.http.serve import Server

START_SECONDS = 60


@contextmanager
def web_server(settings: Settings) -> Iterator[str]:
    """Serve until the block ends; yields its URL, which is also the public URL meanwhile."""
    # Without the protocol asyncio would leave packets waiting for acknowledgments, 40 ms a response.
    with socket.socket(proto=socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        settings.PUBLIC_URL = f"http://127.0.0.1:{listener.getsockname()[1]}"
        server = Server(make_application())
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            _wait_for(server, thread)
            yield settings.PUBLIC_URL
        finally:
            server.should_exit = True
            thread.join()


def _wait_for(server: uvicorn.Server, thread: threading.Thread) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not server.started:
        if time.monotonic() > deadline or not thread.is_alive():
            raise AssertionError("The web server did not start.")
        time.sleep(0.01)
