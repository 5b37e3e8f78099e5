"""Making a build: once per nonce, with its number, and with what it is compared with fixed."""

from collections.abc import Mapping

from django.db import transaction

from visual_review.builds.baselines.resolution import planned_baseline
from visual_review.builds.models import Build, BuildShard
from visual_review.builds.notifying.outbox import notify_hosts
from visual_review.builds.publishing.requests import BuildRequest
from visual_review.builds.publishing.upload_session import record_upload
from visual_review.builds.states import UPLOADING
from visual_review.kernel.errors import ConflictError, NotFoundError
from visual_review.repositories.models import Product, Repository
from visual_review.repositories.queries import REPOSITORY_UNKNOWN


def create_build(repository: Repository, order: BuildRequest) -> Build:
    """The build of the order's nonce, made when it is the first to ask.

    Raises ConflictError when the nonce belongs to a build of other facts, or when the plan's
    baseline move does not exist; InvalidInputError for a baseline of another branch.
    """
    source = order.source.in_repository(repository)
    facts = _facts(order) | {
        "branch": source.branch,
        "head_repository": source.head_repository,
        "pull_request": source.pull_request,
        "base_branch": source.base_branch,
    }
    with transaction.atomic():
        # Later shards and repeats find it without queueing for the repository's row.
        build = _existing(repository, order) or _create(repository, order, facts)
        _check_same(build, order, facts)
        BuildShard.objects.bulk_create(
            [BuildShard(build=build, index=order.shard)], ignore_conflicts=True
        )
        if build.status == UPLOADING:
            record_upload(build)
    return build


def build_of_nonce(repository: Repository, product_key: str, nonce: str) -> Build | None:
    """The build that a run's shards share, once one of them has asked for it."""
    return (
        Build.objects.filter(repository=repository, product__key=product_key, nonce=nonce)
        .select_related("product", "baseline")
        .first()
    )


def _existing(repository: Repository, order: BuildRequest) -> Build | None:
    return build_of_nonce(repository, order.product_key, order.nonce)


def _create(repository: Repository, order: BuildRequest, facts: Mapping[str, object]) -> Build:
    # All that publish to this repository at once queue here, hence one product, one build a
    # nonce and numbers without gaps. Other tables may still refer to the row.
    locked = (
        Repository.objects.select_for_update(no_key=True)
        .filter(pk=repository.pk, removed_at=None)
        .first()
    )
    if locked is None:
        raise NotFoundError(REPOSITORY_UNKNOWN)
    existing = _existing(locked, order)
    if existing is not None:
        return existing
    product, _ = Product.objects.get_or_create(repository=locked, key=order.product_key)
    origin = order.source.in_repository(locked).origin(locked.default_branch)
    compared = planned_baseline(product, origin, order.baseline_id, order.baseline_move)
    locked.last_build_number += 1
    locked.save(update_fields=["last_build_number"])
    build = Build.objects.create(
        repository=locked,
        product=product,
        number=locked.last_build_number,
        nonce=order.nonce,
        baseline_rule=compared.rule,
        baseline=compared.baseline,
        baseline_move=compared.move,
        base_commit=order.base_commit,
        merge_commit=order.merge_commit,
        merge_base_commit=order.merge_base_commit,
        message=order.message,
        renderer=order.renderer,
        detection_variants=[list(variant) for variant in order.detection_variants],
        **facts,
    )
    notify_hosts(build)
    return build


def _facts(order: BuildRequest) -> dict[str, object]:
    """What every shard of one build must agree on, beside its source."""
    return {
        "commit": order.commit,
        "shards_total": order.shards,
        "is_partial": order.story_ids is not None,
        # Sorted, so that shards which list the same in another order agree.
        "story_ids": None if order.story_ids is None else sorted(order.story_ids),
        "matrix": [list(variant) for variant in sorted(order.matrix)],
    }


SPOKEN = {
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


def _check_same(build: Build, order: BuildRequest, facts: Mapping[str, object]) -> None:
    published = build.status != UPLOADING
    differing = [
        SPOKEN[name]
        for name, value in facts.items()
        # The host may have told another target since; a repeat of the order is still the same.
        if getattr(build, name) != value and not (published and name == "base_branch")
    ]
    known = {tuple(variant) for variant in build.detection_variants}
    if not known.issuperset(order.detection_variants):
        differing.append("detectionVariants")
    # What a partial build leaves out was judged by the plan's baseline, so it must be the same.
    moved = order.baseline_move and order.baseline_move != build.baseline_move
    if build.is_partial and moved and not published:
        differing.append("baselineMove")
    if differing:
        raise ConflictError(
            f"The nonce '{order.nonce}' belongs to build {build.number}, which has another "
            f"{' and '.join(differing)}. All shards of a run must send the same; a new run, "
            "or a new attempt of it, needs a nonce of its own."
        )
