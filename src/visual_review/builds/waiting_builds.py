"""Builds waiting for a review in an organization, and their screenshots to review."""

from typing import Final

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import (
    Case,
    CharField,
    Count,
    Exists,
    F,
    OuterRef,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Coalesce, NullIf

from visual_review.builds.models import (
    Build,
    ChangeGroup,
    PullRequest,
    RequestedReviewer,
    Screenshot,
    Thread,
)
from visual_review.builds.queries import builds_of
from visual_review.builds.states import (
    COMPLETED,
    DIFF_STATE_RANK,
    DIFFERENCES,
    TO_REVIEW,
    UNREVIEWED,
)

# Of each build, so many causes are named, and so many screenshots shown.
MOST_CAUSES: Final = 2
MOST_SHOWN: Final = 3
LARGE_FIELDS = ("comparison__boxes", "comparison__changes", "comparison__signature")


def builds_to_review(organization_id: str) -> QuerySet[Build]:
    """Return the builds ready for a decision, the oldest first.

    Superseded builds are left out, and builds of closed or merged pull requests.
    """
    rows = only_to_review(builds_of(organization_id)).select_related("repository")
    return rows.order_by("created_at", "id")


def only_to_review(rows: QuerySet[Build]) -> QuerySet[Build]:
    ended = PullRequest.objects.filter(
        repository_id=OuterRef("repository_id"), number=OuterRef("pull_request")
    ).exclude(state="open")
    waiting = {"status": COMPLETED, "review_state": UNREVIEWED, "superseded_by": None}
    return rows.filter(**waiting).exclude(Exists(ended))


def with_facts(rows: QuerySet[Build], user_id: str) -> QuerySet[Build]:
    """Add the columns of a list to the builds, and sort builds that concern the user first.

    Of its ``differing`` screenshots ``decided`` have a decision. ``causes`` are names of its
    largest groups, ``shown`` ids of its first screenshots, and ``reviewers`` the names of requested
    reviewers. ``is_mentioned`` if an open thread of the branch mentions the user.
    """
    names = ("product", "head_repository", "branch")
    branch = {name: OuterRef(name) for name in names}
    asked = RequestedReviewer.objects.filter(**branch).order_by("pk")
    threads = Thread.objects.filter(**branch, resolved_at=None, mentioned__contains=[user_id])
    groups = ChangeGroup.objects.filter(build=OuterRef("pk")).order_by("-screenshot_count", "pk")
    # Differing screenshots have numbers, so the index of numbers finds the few of a large build.
    numbered = Screenshot.objects.filter(build=OuterRef("pk"), number__gt=0)
    shots = numbered.filter(diff_state__in=DIFFERENCES).order_by()
    decided = shots.exclude(review_decision="").values("build").annotate(n=Count("pk")).values("n")
    name = Coalesce(NullIf("user__name", Value("")), "user__email", output_field=CharField())
    annotated = rows.annotate(
        is_requested=Exists(asked.filter(user=user_id)),
        is_mentioned=Exists(threads),
        reviewers=ArraySubquery(asked.values(n=name)),
        causes=ArraySubquery(groups.values("name")[:MOST_CAUSES]),
        shown=ArraySubquery(shots.filter(number__lte=MOST_SHOWN).order_by("number").values("pk")),
        differing=F("changed_count") + F("new_count") + F("removed_count"),
        decided=Coalesce(Subquery(decided), 0),
    )
    return annotated.order_by("-is_requested", "-is_mentioned", "created_at", "id")


def next_build_to_review(rows: QuerySet[Build], after: Build | None) -> Build | None:
    """Return the first of ``rows`` newer than ``after``, else the first of all.

    So a person who leaves a build undecided comes to each other build before coming back.
    """
    if after is None:
        return rows.first()
    return rows.filter(created_at__gt=after.created_at).first() or rows.first()


def screenshots_to_review(build: Build, limit: int) -> list[Screenshot]:
    """Return at most ``limit`` changed, new, removed or failed screenshots, in the order of states.

    Changed ones come by group and severity, and have their comparison loaded.
    """
    return list(rows_to_review(build).select_related("comparison").defer(*LARGE_FIELDS)[:limit])


def rows_to_review(build: Build) -> QuerySet[Screenshot]:
    """Return all changed, new, removed and failed screenshots, in the order of states.

    Changes that the branch did not cause come last.
    """
    rank = Case(
        *(When(diff_state=state, then=Value(DIFF_STATE_RANK[state])) for state in TO_REVIEW)
    )
    rows = Screenshot.objects.filter(build=build, detection_only=False, diff_state__in=TO_REVIEW)
    return rows.order_by(
        Case(When(not_from_branch="", then=Value(0)), default=Value(1)),
        rank,
        F("group__position").asc(nulls_last=True),
        F("comparison__severity").desc(nulls_last=True),
        "story_id",
        "theme",
        "device",
    )
