"""``make load``: attacks on the availability of the real program, next to an honest user.

Prints the user's experience, and the service's memory. With ``CHECK=1`` the exit code is 1 if a
page failed or was late, or if the memory went above its bar.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from urllib.parse import urlsplit

import httpx
import numpy as np
from PIL import Image
from scripts.demo_folder import DemoError, demo_folder
from scripts.demo_server import PROGRAM, DemoServer, clean_environment, running_server

from benchmarks.attackers import Attack, attacking
from benchmarks.process_memory import memory_by_process

CSRF = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
PAGE_SECONDS = 2.0
MEGABYTE = 1024 * 1024
MEMORY_MEGABYTES = 1024
READERS = 500
# How often the request is repeated on a connection whose responses are never read.
PIPELINED = 100
BODIES = 200
BODY_BYTES = 20 * MEGABYTE
# The attack is in full progress before anything is measured.
LEAD_SECONDS = 10.0
PAUSE_SECONDS = 0.25
HEAD = f"{'case':<45}{'pages':>6}{'p50 ms':>8}{'max ms':>8}{'failed':>8}{'MB':>7}"


@dataclass
class Outcome:
    """A user's experience: seconds of each page, failures in words; and the service's memory."""

    case: str
    seconds: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    megabytes: float = 0.0

    @property
    def complaints(self) -> list[str]:
        found = []
        if self.failures:
            found.append(f"{len(self.failures)} pages failed, first {self.failures[0]}")
        if max(self.seconds) >= PAGE_SECONDS:
            found.append(f"a page took {max(self.seconds):.1f} s (bar {PAGE_SECONDS:.0f} s)")
        if self.megabytes >= MEMORY_MEGABYTES:
            found.append(f"{self.megabytes:.0f} MB of memory (bar {MEMORY_MEGABYTES} MB)")
        return found

    def __str__(self) -> str:
        times = sorted(self.seconds)
        return (
            f"{self.case:<45}{len(times):>6}{times[len(times) // 2] * 1000:>8.0f}"
            f"{times[-1] * 1000:>8.0f}{len(self.failures):>8}{self.megabytes:>7.0f}"
        )


@dataclass(frozen=True)
class Stage:
    """A service with a published build; ``image`` and ``upload`` are signed paths."""

    server: DemoServer
    browser: httpx.Client
    pages: list[str]
    image: str
    upload: str

    def attacks(self, seconds: float) -> Iterator[tuple[str, Attack | None]]:
        url = urlsplit(self.server.url)
        host = f"Host: {url.netloc}\r\n"
        yield "no one attacks", None
        for name, path in [
            ("static file", "/static/web/base.css"),
            ("image", self.image),
            ("page", "/sign-in"),
        ]:
            request = f"GET {path} HTTP/1.1\r\n{host}\r\n".encode() * PIPELINED
            yield (
                f"{READERS} read nothing of a {name}",
                Attack(url.port or 0, READERS, request, 0, seconds),
            )
        for name, line in [
            ("with a signed URL", f"PUT {self.upload}"),
            ("with no right to", "POST /api/rest/actions/list_repos"),
        ]:
            request = f"{line} HTTP/1.1\r\n{host}Content-Length: {BODY_BYTES}\r\n\r\n".encode()
            yield (
                f"{BODIES} send half of 20 MB {name}",
                Attack(url.port or 0, BODIES, request, BODY_BYTES // 2, seconds),
            )


@contextmanager
def prepared(folder: Path) -> Iterator[Stage]:
    with running_server(folder, 0) as server:
        connected = server.act("connect_repo", fullName="acme/web")
        token = connected["projectToken"]
        _publish(folder / "screenshots", server, token)
        build = server.act("list_builds", repoId=connected["repo"]["id"])["builds"][0]["id"]
        shots = server.act("get_build", buildId=build)["build"]["screenshots"]
        with closing(sign_in(server.url, server.email, server.password)) as browser:
            yield Stage(
                server,
                browser,
                pages=["/repositories", f"/builds/{build}", "/sign-in"],
                image=_path(next(shot["afterUrl"] for shot in shots if shot.get("afterUrl"))),
                upload=_path(_announce_image(server.url, token)),
            )


def _publish(folder: Path, server: DemoServer, token: str) -> None:
    """Publish an image of some megabytes as CI does."""
    folder.mkdir()
    pixels = np.random.default_rng(1).integers(0, 256, (1000, 1440, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(folder / "noise--first--light-desktop.png")
    environment = {"VISUAL_REVIEW_URL": server.url, "UI_REVIEW_TOKEN": token}
    options = ["--branch", "main", "--commit", "1" * 40, "--pull-request", "0"]
    done = subprocess.run(
        [str(PROGRAM), "publish", str(folder), *options],
        env=clean_environment(environment),
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    # 1 means a build to review.
    if done.returncode not in {0, 1}:
        raise DemoError(f"The build failed: {done.stdout}{done.stderr}")


def _announce_image(url: str, token: str) -> str:
    """Return the signed URL for uploading an image that never arrives."""
    variant = {"storyId": "a--b", "title": "A/B", "theme": "light", "device": "desktop"}
    screenshot = {**variant, "sha256": "0" * 64, "width": 1440, "height": 900}
    build = {"nonce": "load", "branch": "load", "commit": "2" * 40}
    matrix = {"themes": ["light"], "devices": ["desktop"]}
    with httpx.Client(
        base_url=f"{url}/api/ci/", headers={"Authorization": f"Bearer {token}"}
    ) as client:
        created = client.post("builds", json={**build, "matrix": matrix}).json()
        manifest = {"shard": 1, "screenshots": [screenshot]}
        announced = client.post(f"builds/{created['id']}/screenshots", json=manifest).json()
    return str(announced["uploads"][0]["url"])


def _path(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}"


def sign_in(url: str, email: str, password: str) -> httpx.Client:
    """Return a browser's session. Raises DemoError."""
    browser = httpx.Client(base_url=url, timeout=30, follow_redirects=True)
    page = browser.get("/sign-in")
    token = CSRF.search(page.text)
    if token is None:
        raise DemoError(f"The sign-in page has no form: {page.text[:300]}")
    form = {"csrfmiddlewaretoken": token[1], "login": email, "password": password}
    done = browser.post("/sign-in", data=form, headers={"Referer": f"{url}/sign-in"})
    if done.url.path == "/sign-in":
        raise DemoError("The user's password was not accepted.")
    return browser


def measure(stage: Stage, name: str, attack: Attack | None, seconds: float) -> Outcome:
    outcome = Outcome(name)
    with attacking(attack) if attack else nullcontext():
        end = time.monotonic() + LEAD_SECONDS + seconds
        time.sleep(LEAD_SECONDS)
        while time.monotonic() < end:
            for path in stage.pages:
                _open(stage.browser, path, outcome)
            outcome.megabytes = max(
                outcome.megabytes, memory_by_process(stage.server.process.pid).total() / MEGABYTE
            )
        print(f"load: {name}: /readyz says {_readiness(stage.server.url)}", flush=True)
    return outcome


def _open(browser: httpx.Client, path: str, outcome: Outcome) -> None:
    began = time.perf_counter()
    try:
        # An exhausted service refuses new connections first.
        response = browser.get(path, headers={"Connection": "close"})
    except httpx.TransportError as error:
        outcome.failures.append(f"{path}: {type(error).__name__}")
    else:
        if response.status_code != httpx.codes.OK:
            outcome.failures.append(f"{path}: {response.status_code}")
    outcome.seconds.append(time.perf_counter() - began)
    time.sleep(PAUSE_SECONDS)


def _readiness(url: str) -> Mapping[str, str]:
    try:
        states: dict[str, str] = httpx.get(f"{url}/readyz", timeout=10).json()
    except httpx.TransportError as error:
        return {"status": f"no response ({type(error).__name__})"}
    return states


def run(seconds: float, wanted: str) -> list[Outcome]:
    outcomes: list[Outcome] = []
    with demo_folder("load") as folder:
        try:
            with prepared(folder) as stage:
                for name, attack in stage.attacks(LEAD_SECONDS + 2 * seconds):
                    if wanted in name:
                        outcomes.append(measure(stage, name, attack, seconds))
                        print(HEAD, outcomes[-1], sep="\n", flush=True)
        finally:
            # The server's log stays.
            rmtree(folder / "data", ignore_errors=True)
    return outcomes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=40.0, help="per case")
    parser.add_argument("--case", default="", help="only cases with this in their name")
    options = parser.parse_args()
    try:
        outcomes = run(options.seconds, options.case)
    except DemoError as error:
        print(f"load: {error}", file=sys.stderr)
        return 2
    print(HEAD, *outcomes, sep="\n")
    missed = [f"{row.case}: {'; '.join(row.complaints)}" for row in outcomes if row.complaints]
    print(*(f"missed: {line}" for line in missed), sep="\n")
    return 1 if missed and os.environ.get("CHECK") == "1" else 0


if __name__ == "__main__":
    sys.exit(main())
