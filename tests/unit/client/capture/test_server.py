"""The local server serves the folder and nothing else."""

import os
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from tests.support.raw_get import get
from visual_review.client.capture.errors import CaptureError
from visual_review.client.capture.server import StaticServer, resolve


@pytest.fixture(scope="module")
def folder_with_secret(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a secret next to the served one."""
    folder_with_secret = tmp_path_factory.mktemp("outer").resolve()
    (folder_with_secret / "secret.txt").write_text("secret")
    site = folder_with_secret / "site"
    (site / "assets").mkdir(parents=True)
    (site / "index.html").write_text("home")
    (site / "assets" / "main.js").write_text("export {};")
    (site / "assets" / "font.woff2").write_bytes(b"font")
    (site / "a name.json").write_text("{}")
    (site / "way-out").symlink_to(folder_with_secret / "secret.txt")
    (site / "inside").symlink_to(site / "assets" / "main.js")
    (site / "page").mkdir()
    (site / "page" / "index.html").symlink_to(folder_with_secret / "secret.txt")
    (site / "process").mkdir()
    (site / "process" / "index.html").symlink_to("/proc/self/environ")
    os.mkfifo(site / "pipe")
    return folder_with_secret


@pytest.fixture(scope="module")
def port(folder_with_secret: Path) -> Iterator[int]:
    with StaticServer(folder_with_secret / "site") as server:
        yield server.port


FILES = [
    ("/", "text/html; charset=utf-8", b"home"),
    ("/assets/main.js?t=1", "text/javascript", b"export {};"),
    ("/assets/font.woff2", "font/woff2", b"font"),
    ("/a%20name.json", "application/json", b"{}"),
    ("/inside", None, b"export {};"),
]


def test_a_file_has_its_content_type(case: Case, port: int) -> None:
    for target, kind, body in FILES:
        with case(target):
            status, given_kind, given_body = get(port, target)
            assert (status, given_body) == (200, body)
            assert kind in (None, given_kind)


TARGETS_OUTSIDE = [
    "/none.js",
    "/assets",
    "/assets/",
    "/../secret.txt",
    "/..%2fsecret.txt",
    "/%2e%2e/secret.txt",
    "/assets/../../secret.txt",
    "//etc/passwd",
    "/way-out",
    "/page/",
    "/process/",
    "/pipe",
    "/%00",
    "/" + "a" * 5000,
]


def test_what_is_not_a_file_of_the_folder_is_not_found(case: Case, port: int) -> None:
    for target in TARGETS_OUTSIDE:
        with case(target[:40]):
            status, _, body = get(port, target)
            assert status == 404
            assert b"secret" not in body


@given(target=st.text(alphabet=st.sampled_from("./%2eEfF\\aindexhtml:~\0 "), max_size=60))
def test_no_target_resolves_to_a_file_outside(folder_with_secret: Path, target: str) -> None:
    found = resolve(folder_with_secret / "site", target)
    assert found is None or found.is_relative_to(folder_with_secret / "site")


def test_many_parallel_requests_succeed(port: int) -> None:
    with ThreadPoolExecutor(20) as pool:
        statuses = list(pool.map(lambda _: get(port, "/assets/main.js")[0], range(100)))
    assert statuses == [200] * 100


def test_the_server_listens_only_on_loopback(port: int) -> None:
    addresses = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), port)}
    for address in (text for text in addresses if not str(text).startswith(("127.", "::1"))):
        with pytest.raises(OSError, match=r"."):
            socket.create_connection((str(address), port), timeout=2)


def test_a_stopped_server_frees_its_port(folder_with_secret: Path) -> None:
    with StaticServer(folder_with_secret / "site") as server:
        port = server.port
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=2)


def test_the_process_that_serves_has_no_secret_of_the_job(
    folder_with_secret: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UI_REVIEW_TOKEN", "token-of-the-job")
    with StaticServer(folder_with_secret / "site") as server:
        environment = Path(f"/proc/{process_at(server.port).pid}/environ").read_bytes()
    assert b"PATH=" in environment
    assert b"token-of-the-job" not in environment


def process_at(port: int) -> psutil.Process:
    (process,) = (
        each
        for each in psutil.Process().children()
        if any(found.laddr.port == port for found in each.net_connections())
    )
    return process


def test_a_server_that_ended_is_an_error_that_says_what_to_do(folder_with_secret: Path) -> None:
    with StaticServer(folder_with_secret / "site") as server:
        process = process_at(server.port)
        process.kill()
        process.wait()
        with pytest.raises(CaptureError, match=r"ended\. Capture again"):
            server.notices()
