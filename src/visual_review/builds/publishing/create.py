"""Create a build: once per nonce, with its number and a fixed baseline version."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict

from django.db import transaction

from visual_review.builds.baselines.resolution import (
    BaselineResolution,
    CaptureHashes,
    captured_hashes,
    resolve_planned_baseline,
)
from visual_review.builds.models import Build, BuildShard
from visual_review.builds.notifying.outbox import notify_hosts
from visual_review.builds.publishing.requests import BuildRequest
from visual_review.builds.publishing.uploads import record_upload
from visual_review.builds.states import UPLOADING
from visual_review.kernel.errors import ConflictError, NotFoundError
from visual_review.repositories.models import Repository
from visual_review.repositories.queries import REPOSITORY_UNKNOWN, published_product
from visual_review.repositories.quotas import count_build, require_storage


def create_build(repository: Repository, request: BuildRequest) -> Build:
    """Return the build of the request's nonce, created by the first request.

    Raises ConflictError if the nonce belongs to a build with other properties, or if the plan's
    baseline version does not exist; InvalidInputError for a baseline of another branch;
    StorageFullError or TooManyAttemptsError for a new build beyond a quota of the organization.
    """
    fields = _shared_fields(request) | asdict(request.source)
    with transaction.atomic():
        # Later shards and retries find the build without waiting for the repository's lock.
        build = _existing(repository, request) or _create(repository, request, fields)
        _require_same(build, request, fields)
        BuildShard.objects.bulk_create(
            [BuildShard(build=build, index=request.shard)], ignore_conflicts=True
        )
        if build.status == UPLOADING:
            record_upload(build)
    return build


def build_of_nonce(repository: Repository, product_key: str, nonce: str) -> Build | None:
    """Return the build shared by a run's shards, if a shard has created the build."""
    return (
        Build.objects.filter(repository=repository, product__key=product_key, nonce=nonce)
        .select_related("product", "baseline")
        .first()
    )


def _existing(repository: Repository, request: BuildRequest) -> Build | None:
    return build_of_nonce(repository, request.product_key, request.nonce)


def _create(repository: Repository, request: BuildRequest, fields: Mapping[str, object]) -> Build:
    # Concurrent requests for the repository wait here: the result is one product, one build for a
    # nonce, and numbers without gaps. Other tables can still refer to the row.
    locked = (
        Repository.objects.select_for_update(no_key=True)
        .filter(pk=repository.pk, removed_at=None)
        .first()
    )
    if locked is None:
        raise NotFoundError(REPOSITORY_UNKNOWN)
    existing = _existing(locked, request)
    if existing is not None:
        return existing
    require_storage(locked.organization_id)
    count_build(locked.organization_id)
    product = published_product(locked, request.product_key)
    compared = resolve_planned_baseline(
        product, request.source, request.baseline_id, request.baseline_version
    )
    locked.last_build_number += 1
    locked.save(update_fields=["last_build_number"])
    build = Build.objects.create(
        repository=locked,
        product=product,
        number=locked.last_build_number,
        nonce=request.nonce,
        baseline_rule=compared.rule,
        baseline=compared.baseline,
        baseline_version=compared.version,
        base_commit=request.base_commit,
        merge_commit=request.merge_commit,
        merge_base_commit=request.merge_base_commit,
        message=request.message,
        author=request.author,
        renderer=request.renderer,
        sources_equal=_are_sources_equal(request, compared),
        detection_variants=[list(variant) for variant in request.detection_variants],
        **fields,
    )
    notify_hosts(build)
    return build


def _are_sources_equal(request: BuildRequest, compared: BaselineResolution) -> bool:
    """Return whether each existing story of the baseline would be captured as before.

    Stories missing in the baseline are captured, or excluded by their own parameters.
    """
    if not request.sources_digest or not request.story_ids:
        return False
    known = captured_hashes(compared, request.matrix)
    stories = {story: known[story] for story in request.story_ids if story in known}
    is_known = bool(stories) and all(hashes.source for hashes in stories.values())
    return is_known and digest_sources(stories) == request.sources_digest


def digest_sources(stories: Mapping[str, CaptureHashes]) -> str:
    """Return the SHA-256 of lines with a story and its hashes, in the format of clients."""
    # Earlier clients know one hash, which covers the renderer as well.
    lines = (
        f"{story} {' '.join(filter(None, hashes))}\n" for story, hashes in sorted(stories.items())
    )
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _shared_fields(request: BuildRequest) -> dict[str, object]:
    """Return the values all shards of a build must agree on, in addition to its source."""
    return {
        "commit": request.commit,
        "shards_total": request.shards,
        "is_partial": request.story_ids is not None,
        # Sorted, because shards may list the same in another order.
        "story_ids": None if request.story_ids is None else sorted(request.story_ids),
        "matrix": [list(variant) for variant in sorted(request.matrix)],
    }


JSON_NAMES = {
    "branch": "branch",
    "head_repository": "headRepository",
    "pull_request": "pullRequest",
    "base_branch": "baseBranch",
    "commit": "commit",
    "shards_total": "shards",
    "is_partial": "partial",
    "story_ids": "storyIds",
    "matrix": "matrix",
}


def _require_same(build: Build, request: BuildRequest, fields: Mapping[str, object]) -> None:
    published = build.status != UPLOADING
    differing = [
        JSON_NAMES[name]
        for name, value in fields.items()
        # The base branch may have changed since; a repeated request is still the same.
        if getattr(build, name) != value and not (published and name == "base_branch")
    ]
    known = {tuple(variant) for variant in build.detection_variants}
    if not known.issuperset(request.detection_variants):
        differing.append("detectionVariants")
    # The omitted stories of a partial build depend on the plan's baseline, so the baseline must be
    # the same.
    version_differs = (
        request.baseline_version and request.baseline_version != build.baseline_version
    )
    if build.is_partial and version_differs and not published:
        differing.append("baselineMove")
    if differing:
        raise ConflictError(
            f"The nonce '{request.nonce}' belongs to build {build.number}, which has a different "
            f"{' and '.join(differing)}. All shards of a run must send the same values. Use a "
            "new nonce for a new run or a new attempt of it."
        )
