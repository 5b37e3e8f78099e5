"""A real S3 server for tests: OpenStack Swift with its S3 layer, including checks of signatures."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path

import httpx
import obstore
from obstore.store import S3Store

from tests.support.servers.service import free_port

ACCESS_KEY = "test:tester"
SECRET_KEY = "testing-secret"
START_SECONDS = 60
SERVER = Path(__file__).with_name("swift_process.py")
MISSING = "no S3 server: the package 'swift' of the development dependencies is not installed"


def installed() -> bool:
    return find_spec("swift") is not None


@dataclass(frozen=True)
class S3Server:
    endpoint: str

    @property
    def credentials(self) -> dict[str, str]:
        return {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY}

    def new_bucket(self, name: str) -> str:
        """Create an empty bucket; returns its URL for VISUAL_REVIEW_STORAGE_URL."""
        url = obstore.sign(self._bucket(name), "PUT", "", timedelta(minutes=1))
        httpx.put(url, timeout=START_SECONDS).raise_for_status()
        return f"s3://{name}/visual-review?endpoint={self.endpoint}&region=us-east-1"

    def keys(self, name: str) -> list[str]:
        """List the keys in the bucket, as another client would."""
        return [item["path"] for page in obstore.list(self._bucket(name)) for item in page]

    def _bucket(self, name: str) -> S3Store:
        return S3Store(
            name,
            endpoint=self.endpoint,
            region="us-east-1",
            access_key_id=ACCESS_KEY,
            secret_access_key=SECRET_KEY,
            client_options={"allow_http": True},
        )


@contextmanager
def s3_server(folder: Path) -> Iterator[S3Server]:
    """Serve from the empty ``folder`` until the block ends."""
    port = free_port()
    log = folder / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-W", "ignore", str(SERVER), str(folder), str(port)],
            stdout=output,
            stderr=output,
            env={**os.environ, "S3_ACCESS_KEY": ACCESS_KEY, "S3_SECRET_KEY": SECRET_KEY},
        )
    try:
        _wait(process, port, log)
        yield S3Server(f"http://127.0.0.1:{port}")
    finally:
        process.kill()
        process.wait()


def _wait(process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1):
                return
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(log.read_text()) from None
        time.sleep(0.05)
