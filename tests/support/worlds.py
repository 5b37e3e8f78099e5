"""A repository for publishing in tests, with real rows, real PNGs and real processing.

``HostedWorld`` adds a Git provider, ``RenderedWorld`` a browser; each is in a module of the same
name.
"""

import hashlib
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from typing import Any, cast

from PIL import Image as PILImage

from tests.support.host_accounts import connect_account, host_world
from tests.support.personas import Persona
from tests.support.scenes import scene
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import any_action
from visual_review.actions.schema import ActionResult
from visual_review.audit.log import SYSTEM
from visual_review.builds.baselines.store import current_entries
from visual_review.builds.comparing.complete import complete_build
from visual_review.builds.comparing.measure import measure_build
from visual_review.builds.images.blob_keys import image_key
from visual_review.builds.models import Baseline, Build, Image, Screenshot
from visual_review.builds.publishing.create import create_build
from visual_review.builds.publishing.finish import finish_shard
from visual_review.builds.publishing.manifest import add_screenshots
from visual_review.builds.publishing.requests import AnnouncedShot, BuildRequest
from visual_review.builds.publishing.uploads import link_verified_images, unlinked_shots
from visual_review.builds.source import BuildSource
from visual_review.builds.variants import Variant, VariantKey
from visual_review.imagediff import hash_pixels
from visual_review.kernel.blobs import blob_store
from visual_review.repositories.models import HostAccount, Product, Repository

SIZE = 4
Shots = Mapping[str, str] | Mapping[str, bytes] | Mapping[str, str | bytes]
"""By story: a color, ``error`` for a failed capture, or the bytes of a PNG."""
DESKTOP = (Variant("light", "desktop"),)
_nonces = count()


@cache
def png(color: str) -> bytes:
    """Return a tiny image of one color, or of several, "red/blue", in a row with gaps between."""
    colors = color.split("/")
    step = 4 * SIZE
    image = PILImage.new("RGB", (SIZE + step * (len(colors) - 1), SIZE), "white")
    for index, each in enumerate(colors):
        image.paste(PILImage.new("RGB", (SIZE, SIZE), each), (step * index, 0))
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def announce(story: str, variant: Variant, **facts: Any) -> AnnouncedShot:  # noqa: ANN401 - Fields.
    facts = {"title": story, "theme": variant.theme, "device": variant.device, **facts}
    return AnnouncedShot(story_id=story, **facts)


@dataclass
class World:
    """One repository with one product, and the persona who reviews the builds."""

    persona: Persona
    name: str = "acme/web"
    repository: Repository = field(init=False)

    def __post_init__(self) -> None:
        self.repository = Repository.objects.create(
            organization=self.persona.organization, full_name=self.name
        )
        Product.objects.create(repository=self.repository, detection_armed=False)

    def publish(self, shots: Shots, branch: str = "main", **order: object) -> Build:
        """Publish and compare a build; ``order`` is as of ``upload``."""
        return self.finish(self.upload(shots, branch, **order))  # type: ignore[arg-type]

    def finish(self, build: Build) -> Build:
        """Finish and compare an uploaded build."""
        finish_shard(self.repository, build.id, 1, SYSTEM)
        return self.process(build)

    def upload(
        self,
        shots: Shots,
        branch: str = "main",
        *,
        fork: str = "",
        target: str = "",
        stories: Iterable[str] | None = None,
        matrix: tuple[Variant, ...] = DESKTOP,
        **order: object,
    ) -> Build:
        """Upload a build; ``hashes`` are more fields of the screenshots by story.

        ``target`` makes the build a pull request's, with ``number`` 1 by default; ``stories`` (all
        existing ones) makes the build partial.
        """
        number = order.pop("number", 1)
        hashes = cast("Mapping[str, dict[str, str]]", order.pop("hashes", {}))
        source = BuildSource(
            branch=branch,
            head_repository=fork,
            pull_request=number if target else None,  # type: ignore[arg-type]
            base_branch=target,
        )
        facts: dict[str, object] = {"nonce": f"run-{next(_nonces)}", "commit": "0" * 40, **order}
        wanted = BuildRequest(
            source=source,
            matrix=matrix,
            story_ids=None if stories is None else tuple(stories),
            **facts,  # type: ignore[arg-type]
        )
        build = create_build(self.repository, wanted)
        images = self.store(shots.values())
        failed = {"error": "It threw."}
        announced = [
            announce(story, variant, **(images.get(shot, failed) | hashes.get(story, {})))
            for story, shot in shots.items()
            for variant in matrix
        ]
        if announced:
            add_screenshots(self.repository, build.id, 1, announced)
            # As after the upload of their bytes.
            link_verified_images(unlinked_shots(build), self.persona.organization.id)
        return build

    def pair(self, before: bytes, after: bytes, story: str = "a") -> Screenshot:
        """Publish a story as ``before`` in the approved baseline and as ``after`` now."""
        self.approve(self.publish({story: before}))
        return self.shot(self.publish({story: after}), story)

    def process(self, build: Build) -> Build:
        row = Build.objects.select_related("repository", "product").get(pk=build.pk)
        complete_build(row.id, measure_build(row))
        return self.fresh(build)

    def connect_host(self) -> HostAccount:
        """Connect the organization and the repository to the in-memory host."""
        account = connect_account(self.persona)
        seen = host_world().add_repository(self.name)
        self.repository.host_account = account
        self.repository.host_id = seen.id
        self.repository.save()
        return account

    def act(self, name: str, **payload: object) -> ActionResult:
        """Call an action as the world's persona."""
        return dispatch(any_action(name), self.persona.caller, payload)

    def approve(self, build: Build) -> ActionResult:
        return self.act("approve_build", buildId=build.id)

    def fresh(self, build: Build) -> Build:
        return Build.objects.get(pk=build.pk)

    def shot(self, build: Build, story: str) -> Screenshot:
        return Screenshot.objects.get(build=build, story_id=story)

    def states(self, build: Build) -> dict[str, str]:
        """Return the diff state and decision by story."""
        rows = Screenshot.objects.filter(build=build)
        return {row.story_id: f"{row.diff_state} {row.review_decision}".strip() for row in rows}

    def decisions(self, build: Build) -> dict[str, str]:
        """Return the decision of each decided story."""
        rows = Screenshot.objects.filter(build=build).exclude(review_decision="")
        return dict(rows.values_list("story_id", "review_decision"))

    def review_state(self, build: Build) -> str:
        return self.fresh(build).review_state

    def baseline(self, branch: str = "main", fork: str = "") -> dict[str, str]:
        """Return the colors of the branch's baseline by story."""
        row = Baseline.objects.filter(
            product__repository=self.repository, branch=branch, head_repository=fork
        ).first()
        if row is None:
            return {}
        return {key.story_id: self._color(entry.image) for key, entry in _by_key(row)}

    def store(self, shots: Iterable[str | bytes]) -> dict[str | bytes, dict[str, Any]]:
        """Store the new images; return a client's announcement of each."""
        pngs = {
            shot: png(shot) if isinstance(shot, str) else shot for shot in shots if shot != "error"
        }
        hashed = {shot: hash_pixels(data) for shot, data in pngs.items()}
        announced = {
            shot: {
                "sha256": sha256(data),
                "width": hashed[shot].width,
                "height": hashed[shot].height,
            }
            for shot, data in pngs.items()
        }
        wanted = {announced[shot]["sha256"]: shot for shot in pngs}
        images = Image.objects.filter(organization=self.persona.organization, sha256__in=wanted)
        for stored in images.values_list("sha256", flat=True):
            del wanted[stored]
        made = Image.objects.bulk_create(
            Image(
                organization=self.persona.organization,
                pixels_sha256=hashed[shot].pixels_sha256,
                size=len(pngs[shot]),
                **announced[shot],
            )
            for shot in wanted.values()
        )
        for row in made:
            blob_store().put(image_key(row), pngs[wanted[row.sha256]])
        return announced

    def _color(self, image: int) -> str:
        stored = Image.objects.get(pk=image).sha256
        known = ("red", "green", "blue", "yellow", "white", "black", "orange", "purple")
        return next(color for color in known if sha256(png(color)) == stored)


@scene
def world_with_baseline(persona: Persona, shots: Mapping[str, str]) -> World:
    """Return a world with an approved first build of ``main`` with the given shots."""
    world = World(persona)
    world.approve(world.publish(shots))
    return world


BuildInReview = tuple[World, Build]
"""An undecided build with the world that it was published to."""


def build_in_review(
    persona: Persona, before: Mapping[str, str], after: Mapping[str, str]
) -> BuildInReview:
    world = World(persona)
    world.approve(world.publish(before))
    return world, world.publish(after)


@scene
def build_with_each_state(persona: Persona) -> BuildInReview:
    """Number 2 of ``acme/web``: one screenshot unchanged, changed, new, removed and failed."""
    before = {"same": "red", "other": "red", "gone": "blue", "broken": "white"}
    after = {"same": "red", "other": "green", "more": "blue", "broken": "error"}
    return build_in_review(persona, before, after)


@scene
def build_with_a_change(persona: Persona) -> BuildInReview:
    """Number 2 of ``acme/web``: ``a`` changed, ``b`` did not, ``c`` is new."""
    after = {"a": "green", "b": "blue", "c": "white"}
    return build_in_review(persona, {"a": "red", "b": "blue"}, after)


@scene
def build_with_groups(persona: Persona) -> BuildInReview:
    """Number 2 of ``acme/web``: three cards changed alike, a fourth one and a menu otherwise."""
    names = ("card--a", "card--b", "card--c", "card--d", "menu--a", "same--a")
    before = dict.fromkeys(names, "red")
    after = dict.fromkeys(names[:3], "green") | {"card--d": "blue", "menu--a": "white"}
    return build_in_review(persona, before, before | after)


def _by_key(row: Baseline) -> list[tuple[VariantKey, object]]:
    return sorted(current_entries(row).items())  # type: ignore[return-value]
