"""Finish a shard; the last one publishes the build."""

from django.db import transaction

from visual_review.audit.log import Actor, Change, record
from visual_review.builds.audit_targets import build_target
from visual_review.builds.job_queue import enqueue_processing
from visual_review.builds.models import Build, BuildShard
from visual_review.builds.notifying.outbox import notify_hosts
from visual_review.builds.publishing.uploads import (
    link_known_images,
    missing_hashes,
    record_upload,
    repository_build,
    require_not_expired,
    require_shard,
    unlinked_shots,
)
from visual_review.builds.pull_requests.tracking import record_branch_published, record_build
from visual_review.builds.states import COMPLETED, PROCESSING, UNREVIEWED, UPLOADING
from visual_review.kernel.blobs import blob_store
from visual_review.kernel.clock import now
from visual_review.kernel.errors import ConflictError
from visual_review.repositories.models import Repository

MAX_MISSING_LISTED = 1000


class MissingImagesError(ConflictError):
    """Announced images were not uploaded; ``missing`` has their hashes, at most a thousand."""

    def __init__(self, build: Build, missing: list[str]) -> None:
        super().__init__(
            f"{len(missing)} announced images of build {build.number} were not uploaded. "
            "Announce their screenshots again to get upload URLs, then finish again."
        )
        self.missing = missing[:MAX_MISSING_LISTED]


def finish_shard(repository: Repository, build_id: str, shard: int, actor: Actor) -> Build:
    """Mark a shard as finished; the last one moves the build to processing.

    Repetitions change nothing. Raises MissingImagesError, ConflictError for an expired build,
    InvalidInputError for a shard beyond the build's total.
    """
    build = repository_build(repository, build_id)
    require_not_expired(build)
    require_shard(build, shard)
    if build.status != UPLOADING:
        return build
    # The storage may be slow: it is read before the transaction begins.
    missing = missing_hashes(build, repository, shard, blob_store())
    if missing:
        record_upload(build)
        raise MissingImagesError(build, missing)
    return _finish(repository, build, shard, actor)


def _finish(repository: Repository, found: Build, shard: int, actor: Actor) -> Build:
    with transaction.atomic():
        record_branch_published(found)
        build = repository_build(repository, found.id, lock=True)
        require_not_expired(build)
        if build.status != UPLOADING:
            return build
        # The build that made an image known may be deleted before the last shard finishes.
        link_known_images(unlinked_shots(build).filter(shard=shard), repository)
        row, _ = BuildShard.objects.get_or_create(build=build, index=shard)
        if row.finished_at is None:
            row.finished_at = now()
            row.save(update_fields=["finished_at"])
        # The build is locked, so of two shards finishing at once, one sees the other as finished.
        finished = BuildShard.objects.filter(build=build, finished_at__isnull=False).count()
        if finished == build.shards_total:
            _publish(repository, build, actor)
        else:
            record_upload(build)
    return build


def _publish(repository: Repository, build: Build, actor: Actor) -> None:
    build.status = PROCESSING
    build.published_at = build.last_upload_at = now()
    build.save(update_fields=["status", "published_at", "last_upload_at"])
    _supersede_older(build)
    record_build(build)
    record(repository.organization_id, actor, _published_change(build))
    enqueue_processing(build.id, repository.organization_id)
    notify_hosts(build)


def _supersede_older(build: Build) -> None:
    older = (
        Build.objects.filter(
            product_id=build.product_id,
            head_repository=build.head_repository,
            branch=build.branch,
            number__lt=build.number,
            status__in=(UPLOADING, PROCESSING, COMPLETED),
            review_state=UNREVIEWED,
            superseded_by=None,
        )
        # Newer builds are always locked first, so that two builds published at once cannot
        # deadlock.
        .order_by("-number")
        .select_for_update(no_key=True)
    )
    ids = list(older.values_list("pk", flat=True))
    Build.objects.filter(pk__in=ids).update(superseded_by=build)


def _published_change(build: Build) -> Change:
    return Change(
        "build.published",
        build_target(build),
        after={
            "number": build.number,
            "productKey": build.product.key,
            "branch": build.branch,
            "headRepository": build.head_repository,
            "commit": build.commit,
            "partial": build.is_partial,
        },
    )
