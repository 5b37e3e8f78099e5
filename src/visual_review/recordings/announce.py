"""Creating a recording: once per product and key, however often CI announces it."""

from collections.abc import Mapping

from django.conf import settings
from django.db import transaction

from visual_review.kernel.clock import now
from visual_review.kernel.errors import (
    ConflictError,
    InvalidInputError,
    NotFoundError,
    TooLargeError,
)
from visual_review.recordings.blob_keys import suffix_of
from visual_review.recordings.enrollment import require_enabled
from visual_review.recordings.models import Attachment, LinkedTest, Recording
from visual_review.recordings.parts import PART_SIZE
from visual_review.recordings.requests import AnnouncedAttachment, AnnouncedFile, RecordingRequest
from visual_review.recordings.states import FAILED, UPLOADING
from visual_review.recordings.uploads import record_upload
from visual_review.recordings.video_header import CONVERT
from visual_review.repositories.models import Product, Repository
from visual_review.repositories.queries import REPOSITORY_UNKNOWN, published_product
from visual_review.repositories.quotas import require_storage

MEGABYTE = 1024 * 1024


def check_video(file: AnnouncedFile) -> None:
    """Raise TooLargeError or InvalidInputError for a video outside the limits."""
    most = settings.RECORDING_MAX_BYTES
    if file.size > most:
        raise TooLargeError(
            f"The video '{file.name}' has {file.size} bytes; the limit is {most}. Record at a "
            "smaller size or a lower frame rate, or increase VISUAL_REVIEW_RECORDING_MAX_MB."
        )
    types = settings.RECORDING_TYPES
    if suffix_of(file.name).removeprefix(".") not in types:
        raise InvalidInputError(
            f"'{file.name}' is not a video that this server accepts; its extension must be one of "
            f"{', '.join(f'.{name}' for name in types)}. {CONVERT}",
            [("/fileName", "has another extension")],
        )


def check_attachments(files: tuple[AnnouncedAttachment, ...]) -> None:
    """Raise TooLargeError for an attachment above the limit."""
    most = settings.ATTACHMENT_MAX_BYTES
    for file in files:
        if file.size > most:
            raise TooLargeError(
                f"The attachment '{file.name}' has {file.size} bytes; the limit is {most}. "
                "Leave it out, or increase VISUAL_REVIEW_ATTACHMENT_MAX_MB."
            )


# Fields fixed by the first announcement of a key, with their names in CI's JSON.
JSON_NAMES = {
    "title": "title",
    "branch": "branch",
    "commit": "commit",
    "head_repository": "headRepository",
    "pull_request": "pullRequest",
    "project": "project",
    "outcome": "outcome",
    "retry": "retry",
    "file_name": "fileName",
    "size": "size",
    "sha256": "sha256",
}


def announce_recording(repository: Repository, request: RecordingRequest) -> Recording:
    """Return the recording with the request's key, created unless the key exists.

    A recording with a failed upload starts over. Raises ConflictError while recordings are
    disabled, or if the key belongs to another video; TooLargeError and InvalidInputError for
    files outside the limits; StorageFullError beyond the organization's quota.
    """
    require_enabled(repository)
    check_video(request.video)
    check_attachments(request.attachments)
    require_storage(repository.organization_id)
    with transaction.atomic():
        # Simultaneous announcements to the repository wait here, so each key has one row. The lock
        # also keeps recordings out of a repository being removed.
        locked = (
            Repository.objects.select_for_update(no_key=True)
            .filter(pk=repository.pk, removed_at=None)
            .first()
        )
        if locked is None:
            raise NotFoundError(REPOSITORY_UNKNOWN)
        product = published_product(locked, request.product_key)
        known = Recording.objects.filter(product=product, key=request.key).first()
        if known is None:
            return _create(locked, product, request)
        _check_same(known, request)
        if known.status == FAILED and not known.original_name:
            _restart_upload(known)
    if known.status == UPLOADING:
        record_upload(known)
    return known


def _create(repository: Repository, product: Product, request: RecordingRequest) -> Recording:
    recording = Recording.objects.create(
        repository=repository,
        product=product,
        test=_linked_test(product, request),
        key=request.key,
        error=request.run.error,
        steps=request.run.steps,
        test_duration_ms=request.run.test_duration_ms,
        ran_at=request.run.ran_at,
        part_size=PART_SIZE,
        **_compared_columns(request),
    )
    Attachment.objects.bulk_create(
        Attachment(
            recording=recording,
            name=each.name,
            content_type=each.content_type,
            size=each.size,
            sha256=each.sha256,
        )
        for each in request.attachments
    )
    return recording


def _linked_test(product: Product, request: RecordingRequest) -> LinkedTest | None:
    if request.test is None:
        return None
    test, _ = LinkedTest.objects.get_or_create(
        product=product, file=request.test.file, suite=request.test.suite, title=request.test.title
    )
    return test


def _compared_columns(request: RecordingRequest) -> dict[str, object]:
    return {
        "title": request.title,
        "branch": request.origin.branch,
        "commit": request.origin.commit,
        "head_repository": request.origin.head_repository,
        "pull_request": request.origin.pull_request,
        "project": request.run.project,
        "outcome": request.run.outcome,
        "retry": request.run.retry,
        "file_name": request.video.name,
        "size": request.video.size,
        "sha256": request.video.sha256,
    }


def _check_same(known: Recording, request: RecordingRequest) -> None:
    if known.deleted_at is not None:
        raise ConflictError(
            f"The recording with the key '{request.key}' was deleted, and its files are still being "
            "removed. Upload with another key, or try again in a few minutes."
        )
    differing = _differing(known, _compared_columns(request))
    if known.test != _known_test(known, request):
        differing.append("test")
    files = {(each.name, each.size, each.sha256) for each in request.attachments}
    if files != set(known.attachments.values_list("name", "size", "sha256")):
        differing.append("attachments")
    if differing:
        raise ConflictError(
            f"The key '{request.key}' belongs to a recording with another "
            f"{' and '.join(differing)}. A key must always name the same video of the same test; "
            "use a new key for a new run or a retry."
        )


def _differing(known: Recording, columns: Mapping[str, object]) -> list[str]:
    return [JSON_NAMES[name] for name, value in columns.items() if getattr(known, name) != value]


def _known_test(known: Recording, request: RecordingRequest) -> LinkedTest | None:
    if request.test is None:
        return None
    return LinkedTest.objects.filter(
        product_id=known.product_id,
        file=request.test.file,
        suite=request.test.suite,
        title=request.test.title,
    ).first()


def _restart_upload(known: Recording) -> None:
    known.status, known.failure, known.finished_at = UPLOADING, "", None
    known.last_upload_at = now()
    known.save(update_fields=["status", "failure", "finished_at", "last_upload_at"])
    known.attachments.update(stored_at=None, failure="")
