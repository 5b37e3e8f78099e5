"""Upload sessions of builds: known and missing images, upload locations, and expiry."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.db.models import Exists, OuterRef, QuerySet, Subquery

from visual_review.audit.log import SYSTEM, Change, record
from visual_review.builds.audit_targets import build_target
from visual_review.builds.models import SHA256_LENGTH, BaselineEntry, Build, Image, Screenshot
from visual_review.builds.notifying.outbox import notify_hosts
from visual_review.builds.queries import BUILD_UNKNOWN
from visual_review.builds.states import EXPIRED, PROCESSING, UPLOADING
from visual_review.kernel.blobs import BlobStore
from visual_review.kernel.clock import now
from visual_review.kernel.errors import ConflictError, InvalidInputError, NotFoundError
from visual_review.kernel.ids import ALPHABET, BODY_LENGTH, is_id
from visual_review.repositories.models import Repository

INCOMING = "incoming"
# A slow connection takes long for a chunk; announcing again returns a new URL.
LINK_SECONDS = 60 * 60
# Retention deletes a batch of images at a time, never images announced by a committed build.
LINK_ATTEMPTS = 5
_ID = rf"[{ALPHABET}]{{{BODY_LENGTH}}}"
_INCOMING_KEY = re.compile(
    rf"{INCOMING}/(org_{_ID})/(build_{_ID})/([0-9a-f]{{{SHA256_LENGTH}}})", re.ASCII
)
# A write for each image would make one row the bottleneck of an upload.
RECORDED_EVERY = timedelta(minutes=1)
KEYS_AT_ONCE = 1000

# The images that CI may refer to by their hash, without sending their bytes.
#
# Bytes are stored once per organization, but a hash proves nothing: a caller who announces the hash
# of another repository's image would see the image in a build of their own. So a repository knows an
# image only once its bytes were sent for one of its builds.


def known_images(repository: Repository) -> QuerySet[Image]:
    """Return the images in builds and baselines of the repository, and of no other."""
    # Entries first: most images belong to a baseline, and each image has few entries.
    entries = BaselineEntry.objects.filter(
        image=OuterRef("pk"), baseline__product__repository=repository
    )
    shots = Screenshot.objects.filter(image=OuterRef("pk"), build__repository=repository)
    return Image.objects.filter(
        Exists(entries) | Exists(shots), organization_id=repository.organization_id
    )


@dataclass(frozen=True)
class IncomingImage:
    """The location of one image's bytes before verification."""

    organization_id: str
    build_id: str
    sha256: str

    @property
    def key(self) -> str:
        return f"{incoming_folder(self.organization_id, self.build_id)}/{self.sha256}"


def parse_incoming_key(key: str) -> IncomingImage | None:
    """Return the upload of a blob key; None for any other key."""
    match = _INCOMING_KEY.fullmatch(key)
    return IncomingImage(*match.groups()) if match else None


def incoming_folder(organization_id: str, build_id: str) -> str:
    return f"{INCOMING}/{organization_id}/{build_id}"


def upload_link(blobs: BlobStore, upload: IncomingImage, size: int | None) -> str:
    """Return the upload URL of an image; ``size`` is in bytes, None if CI did not announce it."""
    return blobs.upload_link(upload.key, size, LINK_SECONDS)


def unlinked_shots(build: Build) -> QuerySet[Screenshot]:
    """Return the announced screenshots without a stored image."""
    # A message means a failed capture or a rejected image: no upload is expected.
    return Screenshot.objects.filter(build=build, image=None, message="").exclude(sha256="")


def link_known_images(shots: QuerySet[Screenshot], repository: Repository) -> None:
    """Link each of the screenshots to its image, if the repository knows the image since."""
    _link(shots, known_images(repository))


def link_verified_images(shots: QuerySet[Screenshot], organization_id: str) -> None:
    """Link the screenshots to their images, whose bytes were sent for their own build."""
    _link(shots, Image.objects.filter(organization_id=organization_id))


def _link(shots: QuerySet[Screenshot], images: QuerySet[Image]) -> None:
    for _ in range(LINK_ATTEMPTS - 1):
        try:
            return _link_once(shots, images)
        except IntegrityError:
            # Retention deleted an image between the query and its check: the image is now missing.
            continue
    return _link_once(shots, images)


def _link_once(shots: QuerySet[Screenshot], images: QuerySet[Image]) -> None:
    stored = _announced_among(images)
    with transaction.atomic():
        shots.filter(Exists(stored)).update(image=Subquery(stored.values("pk")[:1]))
        # At the end of an outer transaction it would be too late to try again.
        connection.check_constraints()


def _announced_among(images: QuerySet[Image]) -> QuerySet[Image]:
    return images.filter(
        sha256=OuterRef("sha256"), width=OuterRef("width"), height=OuterRef("height")
    )


def missing_hashes(build: Build, repository: Repository, shard: int, blobs: BlobStore) -> list[str]:
    """Return the hashes of a shard whose images are neither known nor uploaded, in order."""
    known = _announced_among(known_images(repository))
    wanted = set(
        unlinked_shots(build).filter(~Exists(known), shard=shard).values_list("sha256", flat=True)
    )
    # Images in a folder are verified as they arrive; S3 accepts images without the service.
    if wanted and blobs.folder is None:
        folder = incoming_folder(repository.organization_id, build.id)
        wanted -= {key.rpartition("/")[2] for key in blobs.keys(folder)}
    return sorted(wanted)


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


def expire_builds() -> int:
    """Expire builds without an upload for ``UPLOAD_EXPIRY_SECONDS``; return how many."""
    idle_since = now() - timedelta(seconds=settings.UPLOAD_EXPIRY_SECONDS)
    idle = Build.objects.filter(status=UPLOADING, last_upload_at__lt=idle_since)
    return sum(_expire(build_id, idle_since) for build_id in idle.values_list("pk", flat=True))


@transaction.atomic
def _expire(build_id: str, idle_since: datetime) -> bool:
    # A locked row means CI is sending something right now.
    build = (
        Build.objects.select_for_update(skip_locked=True, no_key=True, of=("self",))
        .filter(pk=build_id, status=UPLOADING, last_upload_at__lt=idle_since)
        .select_related("repository")
        .first()
    )
    if build is None:
        return False
    build.status = EXPIRED
    build.failure = "The uploads did not finish in time. Publish again."
    build.save(update_fields=["status", "failure"])
    change = Change(
        "build.expired",
        build_target(build),
        before={"status": UPLOADING},
        after={"status": EXPIRED},
    )
    record(build.repository.organization_id, SYSTEM, change)
    notify_hosts(build)
    return True


def sweep_incoming(blobs: BlobStore) -> int:
    """Delete uploaded bytes of builds that accept no more; return how many.

    Such bytes remain if a job is interrupted between storing an image and deleting its upload, if a
    build expires, and if an upload URL is used after its build was processed.
    """
    count = 0
    uploads = filter(None, (parse_incoming_key(key) for key in blobs.keys(INCOMING)))
    for batch in _batches(uploads):
        ids = {upload.build_id for upload in batch}
        waiting = Build.objects.filter(pk__in=ids, status__in=(UPLOADING, PROCESSING))
        needed = set(waiting.values_list("pk", flat=True))
        stale = [upload.key for upload in batch if upload.build_id not in needed]
        blobs.delete(stale)
        count += len(stale)
    return count


def _batches(uploads: Iterable[IncomingImage]) -> Iterator[list[IncomingImage]]:
    rest = iter(uploads)
    while batch := list(islice(rest, KEYS_AT_ONCE)):
        yield batch
