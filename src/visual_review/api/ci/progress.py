"""``POST builds/{id}/finish`` and ``GET builds/{id}``: the progress and verdict of a build."""

from typing import Literal, Self

from django.http import HttpRequest
from pydantic import Field

from visual_review.actions.dispatch import validate_as
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.api.ci.endpoint import Project, ci_endpoint, load_build
from visual_review.api.ci.fields import Shard
from visual_review.api.json_bodies import read_object
from visual_review.builds.baselines.selection import Rule
from visual_review.builds.models import Build, BuildShard, ChangeGroup, Screenshot
from visual_review.builds.publishing.finish import finish_shard
from visual_review.builds.publishing.theme_evidence import ThemeEvidence, record_theme_evidence
from visual_review.builds.publishing.uploads import repository_build
from visual_review.builds.queries import count_screenshots, first_groups, groups_of
from visual_review.builds.states import (
    CHANGED,
    GROUPED_STATES,
    NOT_FROM_BRANCH,
    Decision,
    ReviewState,
    Status,
)
from visual_review.builds.threads.reading import count_open_threads
from visual_review.builds.urls import build_page
from visual_review.builds.waiting_builds import screenshots_to_review

# Enough for a summary in a log; the page shows all.
SHOWN_SCREENSHOTS = 200
SHOWN_GROUPS = 50


class ThemesInput(ActionInput, ThemeEvidence):
    """The evidence of how a capture switched the theme, in the form of all inputs."""


class Input(ActionInput):
    shard: Shard = 1
    themes: ThemesInput | None = None


class Counts(ActionResult):
    changed: int
    new: int
    removed: int
    failed: int
    unchanged: int
    pending: int
    inherited: int = Field(
        default=0, description="Of the unchanged ones: not captured, taken over from the baseline."
    )


class ToReview(ActionResult):
    story_id: str
    title: str
    theme: str
    device: str
    diff_state: Literal["changed", "new", "removed", "failed"]
    diff_ratio: float
    summary: str
    group_id: str | None
    review_decision: Decision | None
    message: str


class Group(ActionResult):
    """Screenshots that changed alike, be it one; ``remainderCount`` have more changes."""

    id: str
    name: str
    kind: str | None
    screenshot_count: int
    remainder_count: int
    not_from_branch: bool = Field(
        description="Whether these changes are not from the build's branch: their sources are equal."
    )

    @classmethod
    def of(cls, row: ChangeGroup) -> Self:
        return cls(
            id=row.id,
            name=row.name,
            kind=row.kind or None,
            screenshot_count=row.screenshot_count,
            remainder_count=len(row.remainders),
            not_from_branch=row.key == NOT_FROM_BRANCH,
        )


class Shards(ActionResult):
    total: int
    finished: int


class Result(ActionResult):
    id: str
    number: int
    product_key: str
    branch: str
    commit: str
    status: Status
    failure: str
    review_state: ReviewState
    decision_source: str | None
    counts: Counts
    diff_count: int
    to_review: list[ToReview]
    open_threads: int
    group_count: int
    groups: list[Group]
    baseline_rule: Rule
    baseline_move: int
    shards: Shards
    url: str


@ci_endpoint("POST", takes_identities=True)
def finish(request: HttpRequest, project: Project, build_id: str) -> Result:
    build = load_build(project, build_id)
    values = validate_as(Input, read_object(request), "the call")
    if values.themes is not None:
        record_theme_evidence(project.repository, build.id, values.themes)
    finish_shard(project.repository, build.id, values.shard, project.caller.actor())
    # Read again, as finishing may have changed the build.
    return _result(repository_build(project.repository, build.id))


@ci_endpoint("GET", takes_identities=True)
def show(_request: HttpRequest, project: Project, build_id: str) -> Result:
    return _result(load_build(project, build_id))


def _result(build: Build) -> Result:
    counts = count_screenshots(build)
    groups = groups_of(build).exclude(key__in=GROUPED_STATES)
    finished = BuildShard.objects.filter(build=build, finished_at__isnull=False).count()
    return Result(
        id=build.id,
        number=build.number,
        product_key=build.product.key,
        branch=build.branch,
        commit=build.commit,
        status=build.status,
        failure=build.failure,
        review_state=build.review_state,
        decision_source=build.decision_source or None,
        counts=Counts(
            changed=counts.changed,
            new=counts.new,
            removed=counts.removed,
            failed=counts.failed,
            unchanged=counts.unchanged,
            pending=counts.pending,
            inherited=build.inherited_count,
        ),
        diff_count=counts.differences,
        to_review=[_to_review(row) for row in screenshots_to_review(build, SHOWN_SCREENSHOTS)],
        open_threads=count_open_threads(build),
        group_count=groups.count(),
        groups=[Group.of(row) for row in first_groups(groups, SHOWN_GROUPS)],
        baseline_rule=build.baseline_rule,
        baseline_move=build.baseline_version,
        shards=Shards(total=build.shards_total, finished=finished),
        url=build_page(build),
    )


def _to_review(row: Screenshot) -> ToReview:
    changed = row.diff_state == CHANGED
    return ToReview(
        story_id=row.story_id,
        title=row.title,
        theme=row.theme,
        device=row.device,
        diff_state=row.diff_state,
        diff_ratio=row.diff_ratio,
        summary=row.comparison.summary if changed and row.comparison else "",
        group_id=row.group_id if changed else None,
        review_decision=row.review_decision or None,
        message=row.message,
    )
