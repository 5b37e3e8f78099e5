"""Making a recording: once per product and key, whoever announces it and however often."""

from collections.abc import Mapping

from django.db import transaction

from visual_review.kernel.clock import now
from visual_review.kernel.errors import ConflictError, NotFoundError
from visual_review.recordings.enrollment import require_enabled
from visual_review.recordings.limits import check_attachments, check_video
from visual_review.recordings.models import Attachment, LinkedTest, Recording
from visual_review.recordings.parts import PART_SIZE
from visual_review.recordings.requests import RecordingRequest
from visual_review.recordings.states import FAILED, UPLOADING
from visual_review.recordings.upload_session import record_upload
from visual_review.repositories.models import Product, Repository
from visual_review.repositories.queries import REPOSITORY_UNKNOWN

# What must be the same when a key is announced again, with the names CI knows it by.
SPOKEN = {
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


def announce_recording(repository: Repository, order: RecordingRequest) -> Recording:
    """The recording of the order's key, made when it was not known.

    One whose upload never came through begins anew. Raises ConflictError while recordings are
    disabled, or when the key belongs to another video; TooLargeError and InvalidInputError for
    files that are not taken.
    """
    require_enabled(repository)
    check_video(order.video)
    check_attachments(order.attachments)
    with transaction.atomic():
        # All that announce to this repository at once queue here, hence one row a key. It also
        # keeps recordings out of a repository that is being removed.
        locked = (
            Repository.objects.select_for_update(no_key=True)
            .filter(pk=repository.pk, removed_at=None)
            .first()
        )
        if locked is None:
            raise NotFoundError(REPOSITORY_UNKNOWN)
        product, _ = Product.objects.get_or_create(repository=locked, key=order.product_key)
        known = Recording.objects.filter(product=product, key=order.key).first()
        if known is None:
            return _create(locked, product, order)
        _check_same(known, order)
        if known.status == FAILED and not known.original_name:
            _begin_again(known)
    if known.status == UPLOADING:
        record_upload(known)
    return known


def _create(repository: Repository, product: Product, order: RecordingRequest) -> Recording:
    recording = Recording.objects.create(
        repository=repository,
        product=product,
        test=_linked_test(product, order),
        key=order.key,
        error=order.run.error,
        steps=order.run.steps,
        test_duration_ms=order.run.test_duration_ms,
        ran_at=order.run.ran_at,
        part_size=PART_SIZE,
        **_facts(order),
    )
    Attachment.objects.bulk_create(
        Attachment(
            recording=recording,
            name=each.name,
            content_type=each.content_type,
            size=each.size,
            sha256=each.sha256,
        )
        for each in order.attachments
    )
    return recording


def _linked_test(product: Product, order: RecordingRequest) -> LinkedTest | None:
    if order.test is None:
        return None
    test, _ = LinkedTest.objects.get_or_create(
        product=product, file=order.test.file, suite=order.test.suite, title=order.test.title
    )
    return test


def _facts(order: RecordingRequest) -> dict[str, object]:
    return {
        "title": order.title,
        "branch": order.origin.branch,
        "commit": order.origin.commit,
        "head_repository": order.origin.head_repository,
        "pull_request": order.origin.pull_request,
        "project": order.run.project,
        "outcome": order.run.outcome,
        "retry": order.run.retry,
        "file_name": order.video.name,
        "size": order.video.size,
        "sha256": order.video.sha256,
    }


def _check_same(known: Recording, order: RecordingRequest) -> None:
    if known.deleted_at is not None:
        raise ConflictError(
            f"The recording of the key '{order.key}' was deleted and is being cleared away. "
            "Upload under another key, or try again in a few minutes."
        )
    differing = _differing(known, _facts(order))
    if known.test != _known_test(known, order):
        differing.append("test")
    files = {(each.name, each.size, each.sha256) for each in order.attachments}
    if files != set(known.attachments.values_list("name", "size", "sha256")):
        differing.append("attachments")
    if differing:
        raise ConflictError(
            f"The key '{order.key}' belongs to a recording with another "
            f"{' and '.join(differing)}. The same key must name the same video of the same test; "
            "a new run, or a retry, needs a key of its own."
        )


def _differing(known: Recording, facts: Mapping[str, object]) -> list[str]:
    return [SPOKEN[name] for name, value in facts.items() if getattr(known, name) != value]


def _known_test(known: Recording, order: RecordingRequest) -> LinkedTest | None:
    if order.test is None:
        return None
    return LinkedTest.objects.filter(
        product_id=known.product_id,
        file=order.test.file,
        suite=order.test.suite,
        title=order.test.title,
    ).first()


def _begin_again(known: Recording) -> None:
    known.status, known.failure, known.finished_at = UPLOADING, "", None
    known.last_upload_at = now()
    known.save(update_fields=["status", "failure", "finished_at", "last_upload_at"])
    known.attachments.update(stored_at=None, failure="")
