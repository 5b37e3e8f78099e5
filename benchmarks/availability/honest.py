"""An honest user with a browser, and an honest CI job, while others attack."""

import json
import re
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import httpx
from scripts.demo_server import PROGRAM, clean_environment

CSRF: Final = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
# Browsers give up later, but users do not wait this long.
PATIENCE_SECONDS: Final = 30.0
PAUSE_SECONDS: Final = 0.25


class SignInError(Exception):
    """The user cannot sign in."""


@dataclass
class Visit:
    """What a user saw: seconds of each page, and the failures in words."""

    seconds: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


def sign_in(url: str, email: str, password: str) -> httpx.Client:
    """Return a browser's session. Raises SignInError."""
    browser = httpx.Client(base_url=url, timeout=PATIENCE_SECONDS, follow_redirects=True)
    page = browser.get("/sign-in")
    token = CSRF.search(page.text)
    if token is None:
        raise SignInError(f"The sign-in page has no form: {page.text[:300]}")
    form = {"csrfmiddlewaretoken": token[1], "login": email, "password": password}
    done = browser.post("/sign-in", data=form, headers={"Referer": f"{url}/sign-in"})
    if done.url.path == "/sign-in":
        raise SignInError("The user's password was not accepted.")
    return browser


@contextmanager
def browsing(browser: httpx.Client, paths: list[str]) -> Iterator[Visit]:
    """Open the pages again and again until the block ends, each on a connection of its own."""
    visit, stop = Visit(), threading.Event()
    thread = threading.Thread(target=_browse, args=(browser, paths, visit, stop))
    thread.start()
    try:
        yield visit
    finally:
        stop.set()
        thread.join()


def _browse(browser: httpx.Client, paths: list[str], visit: Visit, stop: threading.Event) -> None:
    while not stop.is_set():
        for path in paths:
            began = time.perf_counter()
            try:
                # A new connection is what an exhausted service refuses first.
                response = browser.get(path, headers={"Connection": "close"})
            except httpx.TransportError as error:
                visit.failures.append(f"{path}: {type(error).__name__}")
            else:
                if response.status_code != httpx.codes.OK:
                    visit.failures.append(f"{path}: {response.status_code}")
            visit.seconds.append(time.perf_counter() - began)
            stop.wait(PAUSE_SECONDS)


@dataclass(frozen=True)
class Published:
    """The end of a CI job: its exit code, seconds and output."""

    code: int
    seconds: float
    output: str

    @property
    def worked(self) -> bool:
        # 1 says that there is something to review.
        return self.code in {0, 1}


def publish(folder: Path, url: str, token: str, branch: str, timeout: float) -> Published:
    """Publish a folder of images as CI does, and wait for the verdict."""
    command = [
        *(str(PROGRAM), "publish", str(folder), "--branch", branch),
        *("--commit", f"{hash(branch) & 0xFFFFFFFF:040x}", "--message", branch),
        *("--pull-request", "0"),
    ]
    environment = clean_environment({"VISUAL_REVIEW_URL": url, "UI_REVIEW_TOKEN": token})
    began = time.perf_counter()
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=timeout
        )
    except subprocess.TimeoutExpired:
        return Published(-1, time.perf_counter() - began, "It did not end.")
    return Published(done.returncode, time.perf_counter() - began, done.stdout + done.stderr)


def readiness(url: str) -> Mapping[str, str]:
    """Return what ``/readyz`` says; the reason if it does not respond."""
    try:
        states: dict[str, str] = json.loads(httpx.get(f"{url}/readyz", timeout=10).text)
    except (httpx.TransportError, ValueError) as error:
        return {"status": f"no response ({type(error).__name__})"}
    return states
