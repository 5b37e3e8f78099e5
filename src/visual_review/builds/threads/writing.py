"""Write comments, and resolve threads, in the caller's transaction."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from django.db.models import F, QuerySet

from visual_review.builds.models import Build, Comment, ReviewEntry, Screenshot, Thread
from visual_review.kernel.clock import now
from visual_review.kernel.errors import (
    ConflictError,
    ForbiddenError,
    InvalidInputError,
    NotFoundError,
)

COMMENT_LENGTH: Final = 10_000
THREAD_UNKNOWN: Final = "There is no thread with this id."
COMMENT_UNKNOWN: Final = "There is no comment with this id."
NOT_YOURS: Final = "Only its author can edit or delete a comment. Reply to it instead."
OF_REJECTION: Final = (
    "The comment of a rejection stays as it was posted. Undo the rejection, or reject the "
    "screenshot again with another comment."
)
DELETED: Final = "This comment was deleted, so it cannot be changed any more."
NO_TEXT: Final = "The comment is empty. Write some text."
OPEN: Final = {"resolved_at": None}


@dataclass(frozen=True)
class Author:
    """The writer: the id of a user or key, a name, and the program's own name."""

    id: str
    name: str
    client: str = ""


def require_text(text: str) -> str:
    """Return the text without spaces around it; raises InvalidInputError if it is unusable."""
    stripped = text.strip()
    if not stripped:
        raise InvalidInputError(NO_TEXT)
    if len(stripped) > COMMENT_LENGTH:
        raise InvalidInputError(
            f"The comment has {len(stripped):,} characters, and at most {COMMENT_LENGTH:,} are "
            "accepted. Shorten it, or link to the rest."
        )
    return stripped


def threads_of_branch(build: Build) -> QuerySet[Thread]:
    """Return the threads of all builds of the build's branch, oldest first."""
    branch = {"head_repository": build.head_repository, "branch": build.branch}
    return Thread.objects.filter(product=build.product_id, **branch).order_by("pk")


def thread_of(organization_id: str, thread_id: str) -> Thread:
    """Return the thread; raises NotFoundError, also for another organization's."""
    rows = Thread.objects.filter(
        product__repository__organization_id=organization_id,
        product__repository__removed_at=None,
    )
    thread = rows.filter(pk=thread_id).select_related("product__repository").first()
    if thread is None:
        raise NotFoundError(THREAD_UNKNOWN)
    return thread


def comment_of(organization_id: str, comment_id: str) -> Comment:
    """Return the comment with its thread; raises like ``thread_of``."""
    comment = Comment.objects.filter(pk=comment_id).first()
    if comment is None:
        raise NotFoundError(COMMENT_UNKNOWN)
    comment.thread = thread_of(organization_id, comment.thread_id)
    return comment


def start_thread(
    shot: Screenshot, author: Author, text: str, place: Mapping[str, int] | None = None
) -> tuple[Comment, bool]:
    """Begin a thread on a screenshot, or on a place of its image, with a first comment.

    Returns the comment, and whether the comment is new: the same text by the same author at the
    same place is written once. Raises InvalidInputError for a place outside of the image.
    """
    _require_inside(shot, place)
    _lock(shot.build_id)
    at = {"place": place} if place else {"place__isnull": True}
    for thread in threads_of_branch(shot.build).filter(**OPEN, **_variant(shot), **at):
        first = thread.comments.order_by("pk").first()
        if first and _is_same(first, author, text):
            return first, False
    return _add(_create_thread(shot, place), author, text), True


def reply(thread: Thread, author: Author, text: str) -> tuple[Comment, bool]:
    """Add a comment to the thread, unless its newest comment is the same by the same author.

    Returns the comment, and whether the comment is new.
    """
    # Two who write at once are both kept, one after the other.
    locked = Thread.objects.select_for_update(of=("self",)).get(pk=thread.pk)
    last = locked.comments.order_by("pk").last()
    if last and _is_same(last, author, text):
        return last, False
    return _add(locked, author, text), True


def store_mentions(thread: Thread, mentioned: Iterable[str]) -> None:
    """Add the ids of users to the users mentioned in the thread's comments."""
    found = [*dict.fromkeys((*thread.mentioned, *mentioned))]
    if found != thread.mentioned:
        Thread.objects.filter(pk=thread.pk).update(mentioned=found)


def edit_comment(comment: Comment, author_id: str, text: str) -> None:
    """Replace the text; an empty text deletes the comment, whose place stays in its thread.

    Raises ForbiddenError for another's comment, and ConflictError for a deleted comment or the
    comment of a rejection.
    """
    if comment.author_id != author_id:
        raise ForbiddenError(NOT_YOURS)
    if comment.rejection_id is not None:
        raise ConflictError(OF_REJECTION)
    moment = "edited_at" if text else "deleted_at"
    rows = Comment.objects.filter(pk=comment.pk, deleted_at=None)
    if not rows.update(text=text, **{moment: now()}):
        raise ConflictError(DELETED)
    _mark_changed(comment.thread_id)


def resolve_thread(thread: Thread, by_name: str, *, resolved: bool) -> bool:
    """Resolve the thread or reopen it; return whether the thread changed."""
    rows = Thread.objects.filter(pk=thread.pk, resolved_at__isnull=resolved)
    moment, name = (now(), by_name) if resolved else (None, "")
    changed = {"resolved_at": moment, "resolved_by_name": name, "revision": F("revision") + 1}
    return bool(rows.update(**changed))


def write_rejection(entry: ReviewEntry, author: Author, more: int) -> Comment:
    """Add the comment of a rejection to the open thread of an earlier one, or to a new thread.

    ``entry`` is the first rejection of one request, in the locked build, and ``more`` the number of
    the others. With others, the comment always begins a thread, about all rejections.
    """
    shot = Screenshot.objects.select_related("image", "baseline_image").get(pk=entry.screenshot_id)
    shot.build = entry.build
    thread = None if more else _open_rejection_thread(shot)
    return _add(thread or _create_thread(shot, None, more), author, entry.comment, entry)


def _open_rejection_thread(shot: Screenshot) -> Thread | None:
    rows = threads_of_branch(shot.build).filter(**OPEN, **_variant(shot), more=0)
    return rows.filter(comments__rejection__isnull=False).first()


def _lock(build_id: str) -> None:
    """Make the same simultaneous request wait for this request."""
    Build.objects.select_for_update(of=("self",), no_key=True).get(pk=build_id)


def _create_thread(shot: Screenshot, place: Mapping[str, int] | None, more: int = 0) -> Thread:
    build = shot.build
    return Thread.objects.create(
        product_id=build.product_id,
        head_repository=build.head_repository,
        branch=build.branch,
        build=build,
        title=shot.title,
        before_sha256=shot.baseline_image.sha256 if shot.baseline_image else "",
        after_sha256=shot.image.sha256 if shot.image else "",
        place=place,
        more=more,
        **_variant(shot),
    )


def _add(
    thread: Thread, author: Author, text: str, rejection: ReviewEntry | None = None
) -> Comment:
    comment = Comment.objects.create(
        thread=thread,
        author_id=author.id,
        author_name=author.name,
        client=author.client,
        text=text,
        rejection=rejection,
    )
    _mark_changed(thread.pk)
    return comment


def _mark_changed(thread_id: str) -> None:
    Thread.objects.filter(pk=thread_id).update(revision=F("revision") + 1)


def _is_same(comment: Comment, author: Author, text: str) -> bool:
    return (comment.author_id, comment.text) == (author.id, text) and comment.rejection_id is None


def _variant(shot: Screenshot) -> dict[str, str]:
    return {"story_id": shot.story_id, "theme": shot.theme, "device": shot.device}


def _require_inside(shot: Screenshot, place: Mapping[str, int] | None) -> None:
    images = [image for image in (shot.image, shot.baseline_image) if image]
    if place is None:
        return
    if not images:
        raise InvalidInputError(
            "This screenshot has no image, so a comment has no place on it. Leave the place out."
        )
    width, height = max(each.width for each in images), max(each.height for each in images)
    if not (0 <= place["x"] < width and 0 <= place["y"] < height):
        raise InvalidInputError(
            f"The place {place['x']}, {place['y']} is outside of the image, which has "
            f"{width} x {height} pixels."
        )
