"""Upload sessions of builds: find builds for CI, and record the last upload."""

from datetime import timedelta

from visual_review.builds.models import Build
from visual_review.builds.queries import BUILD_UNKNOWN
from visual_review.builds.states import EXPIRED
from visual_review.kernel.clock import now
from visual_review.kernel.errors import ConflictError, InvalidInputError, NotFoundError
from visual_review.kernel.ids import is_id
from visual_review.repositories.models import Repository

# A write for each image would make one row the bottleneck of an upload.
RECORDED_EVERY = timedelta(minutes=1)


def repository_build(repository: Repository, build_id: str, *, lock: bool = False) -> Build:
    """Return the build; raises NotFoundError, also for another repository's."""
    # The id comes from a URL, and may contain characters rejected by the database.
    valid_id = build_id if is_id(build_id, "build") else None
    rows = Build.objects.filter(repository=repository, pk=valid_id)
    # Screenshots refer to the row, and adding screenshots must not wait for its lock.
    rows = rows.select_for_update(no_key=True) if lock else rows.select_related("product")
    row = rows.first()
    if row is None:
        raise NotFoundError(BUILD_UNKNOWN)
    return row


def require_not_expired(build: Build) -> None:
    """Raise ConflictError for a build whose uploads never finished."""
    if build.status == EXPIRED:
        raise ConflictError(
            f"Build {build.number} expired because its uploads did not finish in time. "
            "Publish again with a new nonce."
        )


def require_shard(build: Build, shard: int) -> None:
    """Raise InvalidInputError for a shard beyond the build's total."""
    if shard > build.shards_total:
        raise InvalidInputError(
            f"Build {build.number} has {build.shards_total} shards. There is no shard {shard}.",
            [("/shard", f"must be at most {build.shards_total}")],
        )


def record_upload(build: Build) -> None:
    """Record that CI is still uploading, at most once a minute."""
    moment = now()
    if moment - build.last_upload_at > RECORDED_EVERY:
        Build.objects.filter(pk=build.pk, last_upload_at__lt=moment).update(last_upload_at=moment)
