"""A repository with a large baseline, and CI jobs for builds of the same size over HTTP.

The running service's database and storage are used only to prepare; measured builds go the way of
any build.
"""

import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final, NamedTuple

import httpx
from scripts.demo_folder import DemoError

from benchmarks.build_pages import SIZES, PageKey, encode_pages, variants_of
from visual_review.accounts.models import Organization
from visual_review.builds.models import Build, Image
from visual_review.builds.publishing.uploads import link_verified_images, unlinked_shots
from visual_review.imagediff.rendering.thumbnails import read_size
from visual_review.repositories.connect import connect_repository
from visual_review.repositories.models import Product, Repository

CHUNK: Final = 500
CONNECTIONS: Final = 4
POLL_SECONDS: Final = 0.1
MOST_SECONDS: Final = 1200.0
USUAL_BYTES: Final = 30_000
TIMEOUT_SECONDS: Final = 120.0
_nonces = count(1)

Shots = dict[PageKey, str]


class BuildFailedError(DemoError):
    """A build has no verdict, or a wrong one; the message says which."""


def hash_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class Hashes(NamedTuple):
    """The hash of a file, and the hash of the pixels in the file."""

    file: str
    pixels: str


@dataclass
class Project:
    """A repository whose baseline has a screenshot of each story in each variant.

    Only the images of the first ``readable`` stories have bytes: the others stay unchanged, and
    unchanged images are never read. ``shots`` are the hashes of the baseline.
    """

    url: str
    stories: int
    readable: int
    name: str = "acme/large"
    shots: Shots = field(default_factory=dict)
    pages: dict[PageKey, bytes] = field(default_factory=dict)
    client: httpx.Client = field(init=False)
    repository: Repository = field(init=False)
    token: str = field(init=False)

    def __post_init__(self) -> None:
        self.organization = Organization.objects.get()
        connected = connect_repository(self.organization.id, self.name, "main")
        self.repository = connected.repository
        self.token = connected.token
        Product.objects.filter(repository=connected.repository).update(detection_armed=False)
        self.client = httpx.Client(
            base_url=f"{self.url}/api/ci/",
            headers={"Authorization": f"Bearer {self.token}"},
            timeout=TIMEOUT_SECONDS,
        )
        self.pages = encode_pages(range(self.readable), changed=False)
        for each in variants_of(range(self.stories)):
            data = self.pages.get(each)
            self.shots[each] = hash_of(data or repr(each).encode())
        unread = {key: sha256 for key, sha256 in self.shots.items() if key not in self.pages}
        # The service only asks whether two pixel hashes are equal.
        self._store_rows(
            {key: Hashes(sha256, hash_of(sha256.encode())) for key, sha256 in unread.items()}
        )

    def publish_unread(self, shots: Shots, pages: Mapping[PageKey, bytes], **facts: object) -> str:
        """Upload a build with images no one reads, except for ``pages``; return its ID."""
        build = self.publish(shots, pages, **facts)
        link_verified_images(unlinked_shots(Build.objects.get(pk=build)), self.organization.id)
        return build

    def publish(self, shots: Shots, pages: Mapping[PageKey, bytes], **facts: object) -> str:
        """Upload a build of the given hashes without finishing the build; return its ID."""
        data = {hash_of(each): each for each in pages.values()}
        build: str = self._post("builds", _build_body() | facts)["id"]
        with ThreadPoolExecutor(CONNECTIONS) as pool:
            for chunk in _chunks([*shots.items()]):
                sizes = self._sizes(chunk, data)
                shots_of_chunk = [_announce(*each, sizes[each[1]]) for each in chunk]
                body = {"shard": 1, "screenshots": shots_of_chunk}
                uploads = self._post(f"builds/{build}/screenshots", body)["uploads"]
                wanted = ((each["url"], data.get(each["sha256"])) for each in uploads)
                list(pool.map(lambda upload: _put(*upload), wanted))
        return build

    def _sizes(
        self, shots: Sequence[tuple[PageKey, str]], data: Mapping[str, bytes]
    ) -> dict[str, tuple[int, int]]:
        """Return the size of each image: some changes make a page taller."""
        hashes = [sha256 for _, sha256 in shots]
        stored = Image.objects.filter(organization=self.organization, sha256__in=hashes)
        return (
            {sha256: SIZES[variant] for (_, variant), sha256 in shots}
            | {sha256: (w, h) for sha256, w, h in stored.values_list("sha256", "width", "height")}
            | {sha256: read_size(data[sha256]) for sha256 in hashes if sha256 in data}
        )

    def finish(self, build: str) -> float:
        """Finish the build; return the seconds to the verdict."""
        began = time.monotonic()
        self._post(f"builds/{build}/finish", {"shard": 1})
        while self.show(build)["status"] == "processing":
            if time.monotonic() - began > MOST_SECONDS:
                raise BuildFailedError(f"There is no verdict after {MOST_SECONDS:.0f} seconds.")
            time.sleep(POLL_SECONDS)
        return time.monotonic() - began

    def show(self, build: str) -> dict[str, Any]:
        return _result(self.client.get(f"builds/{build}"))

    def reencode(self) -> Shots:
        """Return other hashes for all of the baseline, of images with the same pixels."""
        rows = Image.objects.filter(organization=self.organization)
        pixels = dict(rows.values_list("sha256", "pixels_sha256"))
        again = {
            key: Hashes(hash_of(b"again " + sha256.encode()), pixels[sha256])
            for key, sha256 in self.shots.items()
        }
        self._store_rows(again)
        return {key: hashes.file for key, hashes in again.items()}

    def _store_rows(self, images: Mapping[PageKey, Hashes]) -> None:
        """Store rows of images whose bytes no one reads."""
        rows = [
            Image(
                organization=self.organization,
                sha256=hashes.file,
                pixels_sha256=hashes.pixels,
                width=SIZES[variant][0],
                height=SIZES[variant][1],
                size=USUAL_BYTES,
            )
            for (_, variant), hashes in images.items()
        ]
        Image.objects.bulk_create(rows, batch_size=CHUNK)

    def _post(self, path: str, body: object) -> dict[str, Any]:
        return _result(self.client.post(path, json=body))


def _chunks(shots: Sequence[tuple[PageKey, str]]) -> Iterator[Sequence[tuple[PageKey, str]]]:
    for start in range(0, len(shots), CHUNK):
        yield shots[start : start + CHUNK]


def _build_body() -> dict[str, Any]:
    return {
        "nonce": f"run-{next(_nonces)}",
        "branch": "main",
        "commit": "c0ffee1",
        "matrix": {"themes": ["light", "dark"], "devices": ["phone", "tablet", "desktop"]},
    }


def _announce(page: PageKey, sha256: str, size: tuple[int, int]) -> dict[str, object]:
    story, variant = page
    width, height = size
    return {
        "storyId": f"components-card--with-a-longer-name-{story}",
        "title": f"Components/Card: with a longer name {story}",
        "theme": variant.theme,
        "device": variant.device,
        "sha256": sha256,
        "width": width,
        "height": height,
    }


def _put(url: str, data: bytes | None) -> None:
    # Images no one reads are linked instead.
    if data is not None:
        httpx.put(url, content=data, timeout=TIMEOUT_SECONDS).raise_for_status()


def _result(response: httpx.Response) -> dict[str, Any]:
    if response.is_error:
        raise BuildFailedError(f"{response.url} returned {response.text[:500]}")
    result: dict[str, Any] = response.json()
    return result
