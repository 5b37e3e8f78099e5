"""Builds of many different screenshots, stored and compared by the service's own code."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from django.db import connection
from tests.support.personas import Personas, make_personas

from benchmarks.page.change_thumbnails import render_thumbnails
from benchmarks.page.images import PageRequest, StoredPage, make_pair
from benchmarks.page.processes import rendering_processes
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import any_action
from visual_review.audit.log import SYSTEM
from visual_review.builds.comparing.complete import complete_build
from visual_review.builds.comparing.measure import measure_build
from visual_review.builds.models import Build, Image
from visual_review.builds.publishing.create import create_build
from visual_review.builds.publishing.finish import finish_shard
from visual_review.builds.publishing.manifest import add_screenshots
from visual_review.builds.publishing.requests import AnnouncedShot, BuildRequest
from visual_review.builds.publishing.uploads import link_verified_images, unlinked_shots
from visual_review.builds.source import BuildSource
from visual_review.builds.variants import Variant
from visual_review.repositories.connect import connect_repository
from visual_review.repositories.models import Product, Repository

THEMES, DEVICES = ("light", "dark"), ("phone", "tablet", "desktop")
VARIANTS: Final = tuple(Variant(theme, device) for theme in THEMES for device in DEVICES)
# One story in 20 differs, in all of its variants.
CHANGED_SHARE: Final = 20
CHUNK: Final = 500
KINDS: Final = ("Primary", "Disabled", "With an icon", "Loading", "Narrow", "In a dialog")
COMPONENTS: Final = ("Button", "Card", "Menu", "Table", "Form", "Alert", "Chart", "Tabs", "Avatar")


@dataclass(frozen=True)
class SeededBuilds:
    """Of one repository: builds of equal size, one with few changes and one with nothing else."""

    screenshots: int
    few_changed: str
    all_changed: str


@dataclass(frozen=True)
class StoredShot:
    """A screenshot of both states, whose images are stored."""

    request: PageRequest
    before: StoredPage
    after: StoredPage


@dataclass
class Project:
    """The repository of the builds."""

    personas: Personas
    name: str
    shots: Sequence[StoredShot]
    repository: Repository = field(init=False)

    def __post_init__(self) -> None:
        organization = self.personas.alice.organization
        self.repository = connect_repository(organization.id, self.name, "main").repository
        Product.objects.filter(repository=self.repository).update(detection_armed=False)

    def publish_all(self) -> SeededBuilds:
        """Publish a baseline, approve the baseline, and publish both builds."""
        first = self._publish("main", changed_share=0)
        dispatch(any_action("approve_build"), self.personas.alice.caller, {"buildId": first.id})
        few = self._publish("feature/few", CHANGED_SHARE)
        every = self._publish("feature/all", 1)
        render_thumbnails(every.id)
        return SeededBuilds(len(self.shots), few.id, every.id)

    def _publish(self, branch: str, changed_share: int) -> Build:
        source = BuildSource(branch=branch, head_repository="", pull_request=None, base_branch="")
        wanted = BuildRequest(nonce=branch, source=source, commit="c0ffee1" * 5, matrix=VARIANTS)
        build = create_build(self.repository, wanted)
        for part in _chunks([_announce(each, changed_share) for each in self.shots]):
            add_screenshots(self.repository, build.id, 1, part)
        link_verified_images(unlinked_shots(build), self.personas.alice.organization.id)
        finish_shard(self.repository, build.id, 1, SYSTEM)
        row = Build.objects.select_related("repository", "product").get(pk=build.pk)
        complete_build(row.id, measure_build(row))
        return row


def fill(blobs: Path, captures: Path, sizes: Sequence[int]) -> list[SeededBuilds]:
    """Fill an empty service; the smaller repositories show the first screenshots of the largest."""
    personas = make_personas()
    shots = _make_shots(blobs, captures, personas.alice.organization.id, max(sizes))
    projects = [Project(personas, f"acme/of-{size}", shots[:size]) for size in sizes]
    seeded = [project.publish_all() for project in projects]
    with connection.cursor() as cursor:
        # A worker would render thumbnails for no page, and take the browser's time.
        cursor.execute("DELETE FROM procrastinate_jobs")
        cursor.execute("VACUUM ANALYZE")
    connection.close()
    return seeded


def _make_shots(blobs: Path, captures: Path, organization_id: str, count: int) -> list[StoredShot]:
    requests = list(page_requests(captures, count))
    # Sorted by capture, so that each capture is read once.
    ordered = sorted(requests, key=lambda request: request.capture)
    make = partial(make_pair, folder=blobs, organization_id=organization_id)
    with rendering_processes() as pool:
        pairs = pool.map(make, ordered, chunksize=50)
        made = {
            request: StoredShot(request, *pair)
            for request, pair in zip(ordered, pairs, strict=True)
        }
    shots = [made[request] for request in requests]
    _store_rows(organization_id, shots)
    return shots


def page_requests(captures: Path, count: int) -> Iterator[PageRequest]:
    """Yield ``count`` screenshots, all variants of a story one after the other."""
    stories = sorted(
        path.name.removesuffix("--light-phone.png") for path in captures.glob("*--light-phone.png")
    )
    for index in range(count):
        number, variant = index // len(VARIANTS), VARIANTS[index % len(VARIANTS)]
        file = f"{stories[number % len(stories)]}--{variant.theme}-{variant.device}.png"
        yield PageRequest(number, _title_of(number), captures / file, variant.theme, variant.device)


def _title_of(number: int) -> str:
    component, number_of_component = number % len(COMPONENTS), number // len(COMPONENTS)
    kind = KINDS[number_of_component % len(KINDS)]
    return f"Components/{COMPONENTS[component]} {number_of_component // len(KINDS)}/{kind}"


def _store_rows(organization_id: str, shots: Sequence[StoredShot]) -> None:
    pages = {page.sha256: page for shot in shots for page in (shot.before, shot.after)}
    earlier = {shot.before.sha256 for shot in shots}
    rows = [
        Image(
            organization_id=organization_id,
            sha256=page.sha256,
            # No two hashes are equal; nothing else is asked of the hash.
            pixels_sha256=page.sha256,
            width=page.width,
            height=page.height,
            size=page.size,
            has_thumbnail=page.sha256 in earlier,
        )
        for page in pages.values()
    ]
    Image.objects.bulk_create(rows, batch_size=CHUNK)


def _announce(shot: StoredShot, changed_share: int) -> AnnouncedShot:
    request = shot.request
    is_changed = changed_share > 0 and _is_due(request.number, changed_share)
    page = shot.after if is_changed else shot.before
    return AnnouncedShot(
        story_id=story_id_of(request.title),
        title=request.title,
        theme=request.theme,
        device=request.device,
        sha256=page.sha256,
        width=page.width,
        height=page.height,
    )


def _is_due(number: int, share: int) -> bool:
    """Return true for one number in ``share``, of all kinds of changes alike."""
    return number % share == number // share % share


def story_id_of(title: str) -> str:
    *path, kind = title.lower().replace(" ", "-").split("/")
    return f"{'-'.join(path)}--{kind}"


def _chunks(shots: Sequence[AnnouncedShot]) -> Iterator[Sequence[AnnouncedShot]]:
    for start in range(0, len(shots), CHUNK):
        yield shots[start : start + CHUNK]
