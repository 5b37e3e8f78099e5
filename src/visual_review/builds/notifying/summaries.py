"""Read the content of statuses and comments from the database."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from django.db.models import Count, Q, QuerySet

from visual_review.builds.carried_approvals import approvals_in
from visual_review.builds.deciders import CarriedApproval, name_person
from visual_review.builds.models import Build, ChangeGroup, PullRequest, ReviewEntry, Screenshot
from visual_review.builds.notifying.comments import (
    MAX_IMAGES,
    ChangedGroup,
    ChangedImage,
    ChangeOverview,
    Rejection,
    select_images,
)
from visual_review.builds.notifying.outbox import FORK_WITHOUT_PULL_REQUEST
from visual_review.builds.notifying.statuses import ProductSummary
from visual_review.builds.pull_requests.ordering import OPEN
from visual_review.builds.queries import first_groups
from visual_review.builds.states import (
    CARRIED_OVER,
    DIFFERENCES,
    GROUPED_STATES,
    NOT_FROM_BRANCH,
    PUBLISHED,
    REJECTED,
    REMOVED,
)
from visual_review.builds.urls import build_page, build_url
from visual_review.builds.waiting_builds import rows_to_review
from visual_review.repositories.models import Repository

# Rejected, carried over, and undecided removals of a build without screenshots.
NONE: Final = (0, 0, 0)
PARTS: Final = ("product", "repository")
# For each build: enough for several stories, however many variants the first ones have.
MAX_SCREENSHOTS_READ: Final = 60
SHOWN_REMAINDERS: Final = 2


def builds_of_commit(repository: Repository, commit: str) -> list[Build]:
    """Return the builds for the status of ``commit``, by product key.

    The result has the newest build of each product for each open pull request with this head, as
    one commit may be the head of several. Without any, the newest build of the product counts.
    """
    rows = Build.objects.filter(repository=repository, commit=commit).exclude(
        FORK_WITHOUT_PULL_REQUEST
    )
    closed = (
        PullRequest.objects.filter(repository=repository)
        .exclude(state=OPEN)
        .values_list("number", flat=True)
    )
    of_open = rows.exclude(pull_request=None).exclude(pull_request__in=closed)
    newest = of_open.order_by("product_id", "pull_request", "-number")
    found = list(newest.distinct("product_id", "pull_request").select_related(*PARTS))
    found += _newest(rows.exclude(product__in={build.product_id for build in found}))
    return sorted(found, key=lambda build: (build.product.key, build.number))


def builds_of_pull_request(repository: Repository, number: int) -> list[Build]:
    """Return a pull request's newest published build of each product, by product key."""
    rows = Build.objects.filter(repository=repository, pull_request=number, status__in=PUBLISHED)
    return _newest(rows)


def product_summaries(builds: Iterable[Build]) -> list[ProductSummary]:
    """Return a summary of each build, in the same order."""
    found = list(builds)
    shots = Screenshot.objects.filter(build__in=found, detection_only=False)
    decisions = shots.values_list("build").annotate(
        rejected=Count("pk", filter=Q(review_decision=REJECTED)),
        carried_over=Count("pk", filter=Q(decision_source=CARRIED_OVER)),
        removals_open=Count("pk", filter=Q(diff_state=REMOVED, review_decision="")),
    )
    counts = {
        build: (rejected, carried_over, removals_open)
        for build, rejected, carried_over, removals_open in decisions
    }
    carried = [build for build in found if counts.get(build.pk, NONE)[1]]
    approvals = approvals_in(carried) if carried else {}
    return [
        _product_summary(build, *counts.get(build.pk, NONE), approvals.get(build.pk, ()))
        for build in found
    ]


def change_overview(builds: Iterable[Build]) -> ChangeOverview:
    """Return a few groups and screenshots with differences, without carried-over ones."""
    found = list(builds)
    groups, count = load_changed_groups(found)
    in_no_group = [
        changed_image(build, shot)
        for build in found
        for shot in rows_to_review(build)
        .filter(Q(group=None) | Q(diff_state__in=GROUPED_STATES), diff_state__in=DIFFERENCES)
        .exclude(decision_source=CARRIED_OVER)[:MAX_SCREENSHOTS_READ]
    ]
    return ChangeOverview(groups, count - len(groups), select_images(in_no_group))


def rejection(
    entry: ReviewEntry,
    *,
    more: int = 0,
    withdrawn: bool = False,
    later: Sequence[ReviewEntry] = (),
) -> Rejection:
    """Return the content of a comment on a rejection; ``entry`` has its build and screenshot.

    ``more`` is the number of other screenshots rejected with the same comment, and ``later`` are
    later rejections of the same screenshot.
    """
    title = entry.screenshot.title if entry.screenshot else ""
    named = f"{title} ({entry.story_id})" if title and title != entry.story_id else entry.story_id
    return Rejection(
        reviewer=_reviewer(entry),
        story=named,
        theme=entry.theme,
        device=entry.device,
        page=shot_page(entry.build, entry.screenshot_id or ""),
        build=entry.build.number,
        comment=entry.comment,
        more=more,
        withdrawn=withdrawn,
        later=_other_comments(entry, later),
    )


def _other_comments(entry: ReviewEntry, later: Sequence[ReviewEntry]) -> list[tuple[str, str]]:
    """Return reviewer and text of each later comment with a different text."""
    found = {entry.comment: ""}
    for each in later:
        found.setdefault(each.comment, _reviewer(each))
    del found[entry.comment]
    return [(reviewer, comment) for comment, reviewer in found.items()]


def _reviewer(entry: ReviewEntry) -> str:
    through = f" through a client that calls itself {entry.client}" if entry.client else ""
    return f"{name_person(entry.decided_by_name)}{through}"


def _newest(rows: QuerySet[Build]) -> list[Build]:
    newest = rows.order_by("product_id", "-number").distinct("product_id")
    return sorted(newest.select_related(*PARTS), key=lambda build: build.product.key)


def _product_summary(
    build: Build,
    rejected: int,
    carried_over: int,
    removals_open: int,
    approvals: Sequence[CarriedApproval],
) -> ProductSummary:
    return ProductSummary(
        product_key=build.product.key,
        number=build.number,
        url=build_page(build),
        status=build.status,
        review_state=build.review_state,
        failure=build.failure,
        changed=build.changed_count,
        new=build.new_count,
        removed=build.removed_count,
        removals_open=removals_open,
        failed=build.failed_count,
        unchanged=build.unchanged_count,
        taken_over=build.inherited_count,
        needs_capture=_needs_capture(build),
        rejected=rejected,
        carried_over=carried_over,
        fully_carried_over=build.decision_source == CARRIED_OVER,
        carried_approvals=[_with_page(approval) for approval in approvals],
    )


def _needs_capture(build: Build) -> bool:
    """Return whether a build without captures passes only by a reviewer."""
    if build.pull_request is None or build.sources_equal:
        return False
    return bool(build.head_repository) or not build.repository.allows_skip


def _with_page(approval: CarriedApproval) -> CarriedApproval:
    origin = approval.origin
    return approval._replace(page=build_url(origin.build_id)) if origin else approval


def load_changed_groups(builds: Sequence[Build]) -> tuple[list[ChangedGroup], int]:
    """Return the first groups to review in the builds, and the number of all of them."""
    by_id = {build.pk: build for build in builds}
    due = ~Q(screenshots__decision_source=CARRIED_OVER)
    groups = (
        ChangeGroup.objects.filter(build__in=by_id)
        .annotate(count=Count("screenshots", filter=due))
        .filter(count__gt=0)
        .exclude(key__in=GROUPED_STATES)
    )
    # The first of each product before the second of any.
    ordered = groups.order_by("position", "build__product__key")
    shown = first_groups(ordered, MAX_IMAGES)
    examples = _examples(shown)
    remainders = Screenshot.objects.in_bulk(
        [pk for group in shown for pk in group.remainders[:SHOWN_REMAINDERS]]
    )
    found = [
        _changed_group(group, by_id[group.build_id], examples[group.pk], remainders)
        for group in shown
    ]
    return found, groups.count()


def _examples(groups: Iterable[ChangeGroup]) -> dict[str | None, Screenshot]:
    """Return the most severe screenshot of each group, without carried-over ones."""
    rows = (
        Screenshot.objects.filter(group__in=groups)
        .exclude(decision_source=CARRIED_OVER)
        .order_by("group_id", "-comparison__severity", "story_id", "theme", "device")
        .distinct("group_id")
    )
    return {row.group_id: row for row in rows}


def _changed_group(
    group: ChangeGroup, build: Build, example: Screenshot, remainders: Mapping[str, Screenshot]
) -> ChangedGroup:
    shown = (remainders.get(pk) for pk in group.remainders[:SHOWN_REMAINDERS])
    return ChangedGroup(
        name=group.name,
        count=vars(group)["count"],
        image=changed_image(build, example),
        remainders=tuple(changed_image(build, row) for row in shown if row),
        remainder_count=len(group.remainders),
        is_alike=group.key != NOT_FROM_BRANCH,
    )


def changed_image(build: Build, shot: Screenshot) -> ChangedImage:
    return ChangedImage(
        screenshot_id=shot.id,
        page=shot_page(build, shot.id),
        product_key=build.product.key,
        story_id=shot.story_id,
        story=shot.title or shot.story_id,
        theme=shot.theme,
        device=shot.device,
        state=shot.diff_state,
    )


def shot_page(build: Build, screenshot_id: str) -> str:
    return f"{build_page(build)}#{screenshot_id}"
