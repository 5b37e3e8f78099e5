"""The threads of a build: begun in the build, or open ones of its branch."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Count, OuterRef, Prefetch, Q, QuerySet, Subquery, Sum

from visual_review.builds.models import Build, Comment, ReviewEntry, Screenshot, Thread
from visual_review.builds.states import REJECTED
from visual_review.builds.threads.writing import threads_of_branch
from visual_review.builds.variants import VariantKey

# A page or text shows no more; the newest are shown.
MOST_THREADS: Final = 500


@dataclass(frozen=True)
class ShownThread:
    """A thread with its comments, as shown in one build."""

    thread: Thread
    comments: list[Comment]
    # The screenshot and its number in the build, None if the build lacks the story and variant.
    screenshot_id: str | None
    number: int | None
    # Whether the thread began on other images than the screenshot's.
    is_earlier: bool
    # ``stands``, ``withdrawn`` or empty for threads without a rejection.
    rejection: str


def threads_of_build(build: Build, *, only_open: bool = False) -> list[ShownThread]:
    """Return the threads shown in the build, oldest first."""
    shown = Q(resolved_at=None) if only_open else Q(resolved_at=None) | Q(build=build)
    comments = Comment.objects.select_related("rejection__screenshot").order_by("pk")
    rows = threads_of_branch(build).filter(shown).select_related("build").order_by("-pk")
    threads = list(rows.prefetch_related(Prefetch("comments", comments))[:MOST_THREADS])
    shots = _shots_of(build, threads)
    return [_show(thread, shots) for thread in reversed(threads)]


def count_open_threads(build: Build) -> int:
    return threads_of_branch(build).filter(resolved_at=None).count()


def with_open_threads(rows: QuerySet[Build]) -> QuerySet[Build]:
    """Add ``open_threads`` to the rows: how many are open in the build's branch, or null."""
    of_branch = Thread.objects.filter(
        product=OuterRef("product"),
        head_repository=OuterRef("head_repository"),
        branch=OuterRef("branch"),
        resolved_at=None,
    )
    counts = of_branch.order_by().values("branch").annotate(count=Count("pk")).values("count")
    return rows.annotate(open_threads=Subquery(counts))


def revision_by_branch(rows: QuerySet[Thread]) -> QuerySet[Any, Any]:
    """Return a number that grows with each change of any of the threads, all of one branch."""
    return rows.order_by().values("branch").annotate(total=Sum("revision")).values_list("total")


def sum_revisions(rows: QuerySet[Thread]) -> int:
    """Return the same number for rows read at once; 0 without any."""
    found: int | None = rows.aggregate(total=Sum("revision"))["total"]
    return found or 0


def later_rejections(entry: ReviewEntry) -> list[ReviewEntry]:
    """Return the later rejections of the same build in the thread of ``entry``.

    The oldest comes first; undone rejections are left out.
    """
    replies = Comment.objects.filter(
        thread__comments__rejection=entry,
        rejection__build=entry.build_id,
        rejection__undone_by=None,
        rejection__gt=entry.pk,
    )
    found = replies.order_by("pk").select_related("rejection")
    return [each.rejection for each in found if each.rejection is not None]


def _shots_of(build: Build, threads: Iterable[Thread]) -> dict[VariantKey, Screenshot]:
    stories = {thread.story_id for thread in threads}
    rows = Screenshot.objects.filter(build=build, story_id__in=stories, detection_only=False)
    found = rows.select_related("image", "baseline_image")
    return {VariantKey(shot.story_id, shot.theme, shot.device): shot for shot in found}


def _show(thread: Thread, shots: dict[VariantKey, Screenshot]) -> ShownThread:
    shot = shots.get(VariantKey(thread.story_id, thread.theme, thread.device))
    images = (
        shot.baseline_image.sha256 if shot and shot.baseline_image else "",
        shot.image.sha256 if shot and shot.image else "",
    )
    comments = list(thread.comments.all())
    return ShownThread(
        thread,
        comments,
        screenshot_id=shot.pk if shot else None,
        number=shot.number if shot else None,
        is_earlier=images != (thread.before_sha256, thread.after_sha256),
        rejection=_rejection_of(comments),
    )


def _rejection_of(comments: Iterable[Comment]) -> str:
    """Return whether the newest rejection of the thread is still the screenshot's decision."""
    entries = [each.rejection for each in comments if each.rejection is not None]
    if not entries:
        return ""
    entry = entries[-1]
    is_current = entry.screenshot is None or entry.screenshot.review_decision == REJECTED
    return "stands" if entry.undone_by is None and is_current else "withdrawn"
