"""``make bench-fairness``: what a team notices of another organization that publishes much.

The program as ``visual-review up``, with further workers and web processes. First one organization
uploads while the other sends huge images; then it publishes a build and reviews while the other
publishes many builds.
"""

import argparse
import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from itertools import count, cycle, islice
from pathlib import Path
from shutil import rmtree
from typing import Final
from urllib.parse import urlsplit

import httpx
from PIL import Image
from scripts.demo_folder import DemoError, demo_folder
from scripts.demo_server import PROGRAM, DemoServer, find_free_port, running_server

from benchmarks.availability import sign_in
from benchmarks.build_pages import SIZES, encode_pages
from benchmarks.fair_teams import (
    HUGE_IMAGES,
    Images,
    Team,
    in_background,
    publish_builds,
    send_huge_images,
)
from benchmarks.service import connect_to
from visual_review.config.environment import PUBLIC_URL

UPLOADS: Final = 50
# Of each build, so many stories differ, in all of their variants.
CHANGED_STORIES: Final = 1
PROCESSES: Final = (1, 2, 4)
READY_SECONDS: Final = 60
BAR_UPLOADS_RATIO: Final = 2.0
BAR_DELAY_SECONDS: Final = 10.0
BAR_PAGE_SECONDS: Final = 1.0
PAGES_PAUSE_SECONDS: Final = 0.25
UPLOADS_HEAD: Final = f"{'case':<44}{'alone s':>9}{'next to s':>11}{'ratio':>7}"
BUILDS_HEAD: Final = (
    f"{'workers and web processes':<27}{'alone s':>9}{'next to s':>11}"
    f"{'pages':>7}{'p50 ms':>8}{'max ms':>8}{'other s':>9}{'shots/min':>11}"
)
STORIES: Final = count()
BOXES: Final = count()


def say(line: object) -> None:
    print(f"bench-fairness: {line}", flush=True)


@dataclass(frozen=True)
class UploadRow:
    """Seconds of the same uploads, alone and next to another organization."""

    case: str
    alone: float
    disturbed: float

    def __str__(self) -> str:
        return f"{self.case:<44}{self.alone:>9.1f}{self.disturbed:>11.1f}{self.ratio:>7.1f}"

    @property
    def ratio(self) -> float:
        return self.disturbed / self.alone

    def missed(self) -> Iterator[str]:
        if self.ratio > BAR_UPLOADS_RATIO:
            yield f"{self.case}: {self.ratio:.1f} times as long as alone"


@dataclass
class BuildRow:
    """Seconds until a build has its verdict, of pages meanwhile, and of the other's builds."""

    processes: int
    alone: float
    disturbed: float = 0.0
    pages: list[float] = field(default_factory=list)
    other_seconds: float = 0.0
    other_screenshots: int = 0

    def __str__(self) -> str:
        times = sorted(self.pages)
        return (
            f"{self.processes:<27}{self.alone:>9.1f}{self.disturbed:>11.1f}{len(times):>7}"
            f"{times[len(times) // 2] * 1000:>8.0f}{times[-1] * 1000:>8.0f}"
            f"{self.other_seconds:>9.0f}{self.other_screenshots / self.other_seconds * 60:>11.0f}"
        )

    def missed(self) -> Iterator[str]:
        if self.disturbed - self.alone > BAR_DELAY_SECONDS:
            later = self.disturbed - self.alone
            yield f"{self.processes} processes: the verdict came {later:.1f} s later than alone"
        if max(self.pages) > BAR_PAGE_SECONDS:
            yield f"{self.processes} processes: a page took {max(self.pages):.1f} s"


@dataclass(frozen=True)
class Service:
    """A running service and the project tokens of two organizations."""

    server: DemoServer
    folder: Path
    other: DemoServer
    ours: str
    theirs: str

    def teams(self, urls: Sequence[str], theirs_address: str) -> tuple[Team, Team]:
        url = self.server.url
        ours = Team(url, urls, self.ours, "192.0.2.1")
        return ours, Team(url, urls, self.theirs, theirs_address)

    @contextmanager
    def running_processes(self, number: int) -> Iterator[list[str]]:
        """Run more web processes and workers until there are ``number``; yield the URLs."""
        environment = {**os.environ, PUBLIC_URL: self.server.url}
        urls = [self.server.url]
        with ExitStack() as stack, (self.folder / "more.log").open("ab") as log:
            for _ in range(number - 1):
                port = find_free_port(0)
                for command in (["web", "--port", str(port)], ["worker"]):
                    process = subprocess.Popen(
                        [PROGRAM, *command], env=environment, stdout=log, stderr=log
                    )
                    stack.callback(process.wait)
                    stack.callback(process.terminate)
                urls.append(f"http://127.0.0.1:{port}")
            for url in urls:
                _wait_until_alive(url)
            yield urls


def _wait_until_alive(url: str) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        try:
            httpx.get(f"{url}/healthz")
        except httpx.TransportError:
            time.sleep(0.2)
        else:
            return
    raise DemoError(f"{url} did not respond within {READY_SECONDS} seconds.")


@contextmanager
def running_service(folder: Path) -> Iterator[Service]:
    with running_server(folder, 0) as server:
        ours = server.act("connect_repo", fullName="acme/web")["projectToken"]
        data = ["--data", str(folder / "data")]
        _run("organizations", "create", "Lighthouse", "--owner", "lee@example.com", *data)
        key = _run(
            *("keys", "create", "--name", "bench", "--organization-scoped", "--quiet"),
            *("--permission", "repos:manage", "--permission", "builds:review"),
            *("--organization", "Lighthouse", *data),
        )
        other = DemoServer(server.url, server.password, server.process, key)
        theirs = other.act("connect_repo", fullName="lighthouse/web")["projectToken"]
        connect_to(folder / "data")
        yield Service(server, folder, other, ours, theirs)


def _run(*arguments: str) -> str:
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise DemoError(f"{' '.join(arguments)} failed: {done.stderr}")
    return done.stdout.strip()


def measure_uploads(service: Service, *, one_network: bool) -> UploadRow:
    """Upload images alone, and next to an organization whose images need much memory."""
    address = "192.0.2.1" if one_network else "192.0.2.2"
    ours, theirs = service.teams([service.server.url], address)
    network = "one network" if one_network else "two networks"
    alone = ours.upload(f"alone in {network}", _pages(UPLOADS))[1]
    with in_background(send_huge_images, theirs, HUGE_IMAGES * one_network):
        disturbed = ours.upload(f"next to in {network}", _pages(UPLOADS))[1]
    return UploadRow(f"{UPLOADS} uploads next to huge images, {network}", alone, disturbed)


def _pages(number: int) -> Images:
    """Return images that no one has uploaded before."""
    stories = list(islice(STORIES, -(-number // len(SIZES))))
    return dict(islice(encode_pages(stories, changed=False).items(), number))


def measure_builds(
    service: Service, processes: int, ours: Images, theirs: Images, builds: int
) -> BuildRow:
    """Publish and review alone, then while the other organization publishes ``builds``."""
    alone, disturbed = _changed_builds(ours, 2)
    their_builds = _changed_builds(theirs, builds)
    with service.running_processes(processes) as urls:
        team, other = service.teams(urls, "192.0.2.2")
        _, seconds = team.publish(f"alone-{processes}", alone)
        row = BuildRow(processes, seconds, other_screenshots=builds * len(theirs))
        work = (other, f"many-{processes}", their_builds)
        with in_background(publish_builds, *work) as wait_for_other:
            build, row.disturbed = team.publish(f"next-{processes}", disturbed)
            _review(service, urls, build, row.pages)
            row.other_seconds = wait_for_other()
    return row


def _changed_builds(baseline: Images, number: int) -> list[Images]:
    """Return builds in which the first stories of the baseline differ, each time in another way."""
    changed = list(islice(baseline.items(), CHANGED_STORIES * len(SIZES)))
    return [
        {**baseline, **{page: _with_box(data, next(BOXES)) for page, data in changed}}
        for _ in range(number)
    ]


def _with_box(data: bytes, number: int) -> bytes:
    """Return the image with a box of a color that no other number has."""
    image = Image.open(io.BytesIO(data)).convert("RGB")
    color = (number % 256, number // 256 % 256, 128)
    image.paste(color, (40, 40, 200, 140))
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=1)
    return file.getvalue()


def _review(service: Service, urls: Sequence[str], build: str, pages: list[float]) -> None:
    """Open pages and decide, one screenshot after the other; add the seconds of each request."""
    server = service.server
    shots = server.act("get_build", buildId=build)["build"]["screenshots"]
    changed = [shot["id"] for shot in shots if shot["diffState"] == "changed"]
    host = {"Host": urlsplit(server.url).netloc}
    with closing(sign_in(server.url, server.email, server.password)) as browser:
        for shot, url in zip(changed, cycle(urls), strict=False):
            for path in ("/repositories", f"/builds/{build}"):
                began = time.monotonic()
                browser.get(f"{url}{path}", headers=host).raise_for_status()
                pages.append(time.monotonic() - began)
            began = time.monotonic()
            server.act("review_screenshot", screenshotId=shot, state="approved")
            pages.append(time.monotonic() - began)
            time.sleep(PAGES_PAUSE_SECONDS)


def run_benchmark(options: argparse.Namespace) -> list[str]:
    """Measure, print the tables, and return the missed bars."""
    say(f"{os.cpu_count()} CPUs for everything; load average: {os.getloadavg()[0]:.1f}")
    rows: list[UploadRow | BuildRow] = []
    with demo_folder("bench-fairness") as folder:
        try:
            with running_service(folder) as service:
                if not options.only_builds:
                    rows += [measure_uploads(service, one_network=each) for each in (False, True)]
                    print(UPLOADS_HEAD, *rows, sep="\n", flush=True)
                rows += _measure_all(service, options)
        finally:
            # The logs stay.
            rmtree(folder / "data", ignore_errors=True)
    return [missed for row in rows for missed in row.missed()]


def _measure_all(service: Service, options: argparse.Namespace) -> Iterator[BuildRow]:
    sizes = (options.own_screenshots, options.screenshots)
    ours, theirs = (_pages(number) for number in sizes)
    teams = service.teams([service.server.url], "192.0.2.2")
    for team, server, images in zip(
        teams, (service.server, service.other), (ours, theirs), strict=True
    ):
        server.act("approve_build", buildId=team.publish("baseline", images)[0])
    print(BUILDS_HEAD, flush=True)
    for processes in options.processes:
        row = measure_builds(service, processes, ours, theirs, options.builds)
        print(row, flush=True)
        yield row


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench-fairness", description=__doc__)
    parser.add_argument("--builds", type=int, default=100, help="of the other organization")
    parser.add_argument("--screenshots", type=int, default=300, help="of each of them")
    parser.add_argument("--own-screenshots", type=int, default=50)
    parser.add_argument("--processes", type=int, nargs="*", default=PROCESSES)
    parser.add_argument("--only-builds", action="store_true", help="no uploads of huge images")
    options = parser.parse_args()
    # A canceled CI job must stop its service, too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        missed = run_benchmark(options)
    except DemoError as error:
        print(f"bench-fairness: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    print(*(f"missed: {line}" for line in missed), sep="\n")
    return 1 if missed and os.environ.get("CHECK") == "1" else 0


if __name__ == "__main__":
    sys.exit(main())
