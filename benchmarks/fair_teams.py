"""Teams that publish to a service over HTTP, each from a network of its own."""

import hashlib
import itertools
import multiprocessing
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

import httpx
from scripts.demo_folder import DemoError
from tests.support.imagediff.blank_png import blank_png

from benchmarks.build_pages import SIZES, PageKey
from visual_review.client.transport.retry import RetryPolicy, send_with_retry

TIMEOUT_SECONDS: Final = 120.0
POLL_SECONDS: Final = 0.2
MOST_SECONDS: Final = 1200.0
# As many as `visual-review publish` has.
CONNECTIONS: Final = 8
# Parallel CI jobs of the other team.
JOBS: Final = 4
# The other team is in full progress before anything is measured.
LEAD_SECONDS: Final = 5.0
HUGE: Final = (8000, 6000)
HUGE_IMAGES: Final = 8

Images = Mapping[PageKey, bytes]


class Reports(Protocol):
    """Takes the reports of a team in the background: the beginning, then the result."""

    def put(self, item: object) -> None: ...


@dataclass(frozen=True)
class Team:
    """A repository's CI; each request goes to one of the web processes, as from a proxy."""

    public_url: str
    urls: Sequence[str]
    token: str
    address: str

    @cached_property
    def _client(self) -> httpx.Client:
        # Created on first use: a team may move to another process before.
        headers = {"X-Forwarded-For": self.address, "Host": urlsplit(self.public_url).netloc}
        return httpx.Client(timeout=TIMEOUT_SECONDS, headers=headers)

    def publish(self, nonce: str, images: Images) -> tuple[str, float]:
        """Return the build's ID, and the seconds to the verdict."""
        began = time.monotonic()
        build, _ = self.upload(nonce, images)
        self._call("POST", f"builds/{build}/finish", {"shard": 1})
        while self._call("GET", f"builds/{build}")["status"] == "processing":
            if time.monotonic() - began > MOST_SECONDS:
                raise DemoError(f"There is no verdict after {MOST_SECONDS:.0f} seconds.")
            time.sleep(POLL_SECONDS)
        return build, time.monotonic() - began

    def upload(self, nonce: str, images: Images) -> tuple[str, float]:
        """Return the build's ID, and the seconds for uploading its images."""
        build, uploads = self.announce(nonce, [_announce(*each) for each in images.items()])
        data = {_hash(each): each for each in images.values()}
        began = time.monotonic()
        with ThreadPoolExecutor(CONNECTIONS) as pool:
            list(pool.map(lambda each: self.put(each["url"], data[each["sha256"]]), uploads))
        return build, time.monotonic() - began

    def announce(
        self, nonce: str, shots: Sequence[Mapping[str, object]]
    ) -> tuple[str, list[dict[str, str]]]:
        """Create a build; return its ID and the uploads expected by the service."""
        matrix = {"themes": ["light", "dark"], "devices": ["phone", "tablet", "desktop"]}
        body = {"nonce": nonce, "branch": "main", "commit": "c0ffee1", "matrix": matrix}
        build = self._call("POST", "builds", body)["id"]
        manifest = {"shard": 1, "screenshots": shots}
        return build, self._call("POST", f"builds/{build}/screenshots", manifest)["uploads"]

    def put(self, url: str, data: bytes) -> None:
        self._send("PUT", httpx.URL(url).raw_path.decode(), content=data)

    def _call(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self.token}"}
        response = self._send(method, f"/api/ci/{path}", headers=headers, json=body)
        result: dict[str, Any] = response.json()
        return result

    def _send(self, method: str, path: str, **request: Any) -> httpx.Response:  # noqa: ANN401 - What httpx takes.
        response = send_with_retry(
            lambda: self._client.request(method, random.choice(self.urls) + path, **request),
            RetryPolicy(),
            lambda _reason, _pause: None,
        )
        if response.is_error:
            raise DemoError(f"{path} returned {response.status_code}: {response.text[:300]}")
        return response


def _announce(page: PageKey, data: bytes) -> dict[str, object]:
    story, variant = page
    width, height = SIZES[variant]
    names = {"storyId": f"card--{story}", "theme": variant.theme, "device": variant.device}
    return {**names, "sha256": _hash(data), "width": width, "height": height}


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@contextmanager
def in_background(work: Callable[..., None], *arguments: object) -> Iterator[Callable[[], float]]:
    """Let another team work in a process of its own, at most until the block ends.

    ``work`` gets a queue for reports and the arguments. Yields a function that waits for the
    result.
    """
    context = multiprocessing.get_context("spawn")
    reports = context.Queue()
    process = context.Process(target=work, args=(reports, *arguments), daemon=True)
    process.start()
    try:
        reports.get(timeout=MOST_SECONDS)
        time.sleep(LEAD_SECONDS)
        yield lambda: float(reports.get(timeout=MOST_SECONDS))
    finally:
        process.kill()
        process.join()


def send_huge_images(reports: Reports, team: Team, first: int) -> None:
    """Send interlaced images of 48 megapixels again and again; each is verified as a whole."""
    images = [
        (blank_png(HUGE[0], height, interlaced=True), height)
        for height in range(HUGE[1] + first, HUGE[1] + first + HUGE_IMAGES)
    ]
    variant = {"theme": "light", "device": "desktop", "width": HUGE[0]}
    shots = [
        {"storyId": f"huge--{height}", "sha256": _hash(data), "height": height, **variant}
        for data, height in images
    ]
    _, uploads = team.announce(f"huge-{first}", shots)
    data_of = {_hash(data): data for data, _ in images}
    reports.put("It begins.")
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        again = itertools.cycle(uploads)
        while True:
            part = itertools.islice(again, CONNECTIONS)
            list(pool.map(lambda each: team.put(each["url"], data_of[each["sha256"]]), part))


def publish_builds(reports: Reports, team: Team, nonce: str, builds: Sequence[Images]) -> None:
    """Publish all builds, some at the same time; report the seconds until all have verdicts."""
    reports.put("It begins.")
    began = time.monotonic()
    with ThreadPoolExecutor(JOBS) as pool:
        names = (f"{nonce}-{number}" for number in range(len(builds)))
        list(pool.map(team.publish, names, builds))
    reports.put(time.monotonic() - began)
