"""decide_screenshots: approve, reject or clear screenshots, stories, groups or a build at once."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_REVIEW
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.decision_results import (
    DecisionBatchResult,
    decider_of,
    decision_change,
    shot_target,
)
from visual_review.actions.published.review_screenshot import COMMENT_LENGTH
from visual_review.actions.schema import ActionInput
from visual_review.audit.log import Change
from visual_review.builds.cursors import parse_cursor
from visual_review.builds.reviewing.decide import decide
from visual_review.builds.reviewing.requests import (
    BATCH_DECISIONS,
    BatchDecision,
    Confirmation,
    DecisionRequest,
    GroupRevision,
    Selection,
)
from visual_review.builds.reviewing.results import DecisionResult

# More than any build has.
MOST_NAMED = 50_000
# A story's or screenshot's id in the audit log; the rest is counted.
MOST_LOGGED = 50
VERBS = tuple(
    f"{subject}.{decision}"
    for subject in ("screenshot", "story", "group", "screenshots", "build")
    for decision in BATCH_DECISIONS
)


def _check_comment(comment: str) -> str:
    if len(comment) > COMMENT_LENGTH:
        raise ValueError(
            f"The comment has {len(comment):,} characters, and at most {COMMENT_LENGTH:,} are "
            "possible. Shorten it."
        )
    return comment


Names = Annotated[list[str], Field(default_factory=list, max_length=MOST_NAMED)]
RequestId = Annotated[str, Field(min_length=1, max_length=64)]


class Group(ActionInput):
    """``revision`` is that of the group as it was shown."""

    id: str
    revision: str


class Input(ActionInput):
    """``requestId`` is new for each decision, and the same when it is sent again.

    ``seen`` is the cursor of the build as the reviewer saw it.
    """

    build_id: str
    request_id: RequestId
    decision: BatchDecision
    screenshots: Names
    stories: Names
    groups: list[Group] = Field(default_factory=list, max_length=MOST_NAMED)
    build: bool = False
    include_unchanged: bool = False
    comment: Annotated[str, AfterValidator(_check_comment)] = ""
    seen: str = ""
    confirmed: list[Confirmation] = Field(default_factory=list)


def run(caller: Caller, values: Input) -> Outcome[DecisionBatchResult]:
    decider = decider_of(caller)
    result = decide(caller.organization_id, values.build_id, _request(values), decider)
    return Outcome(DecisionBatchResult.of(result), _changes(values, result))


def _request(values: Input) -> DecisionRequest:
    return DecisionRequest(
        request_id=values.request_id,
        decision=values.decision,
        selection=Selection(
            screenshots=tuple(values.screenshots),
            stories=tuple(values.stories),
            groups=tuple(GroupRevision(group.id, group.revision) for group in values.groups),
            whole_build=values.build,
            unchanged=values.include_unchanged,
        ),
        comment=values.comment,
        # Without a cursor, the reviewer has seen nothing: every decision of others is asked about.
        seen=parse_cursor(values.seen).entry if values.seen else 0,
        confirmed=frozenset(values.confirmed),
    )


def _changes(values: Input, result: DecisionResult) -> tuple[Change, ...]:
    named = {
        "screenshotIds": values.screenshots[:MOST_LOGGED],
        "storyIds": values.stories[:MOST_LOGGED],
        "groupIds": [group.id for group in values.groups[:MOST_LOGGED]],
        "comment": values.comment,
        "confirmed": values.confirmed,
    }
    after: dict[str, Any] = {name: value for name, value in named.items() if value}
    subject = _subject(values)
    target = shot_target(result.shots[0]) if subject == "screenshot" and result.shots else None
    return decision_change(f"{subject}.{values.decision}", result, after, target)


def _subject(values: Input) -> str:
    """Return the request's subject in the form of the audit log."""
    if values.build:
        return "build"
    named = (len(values.screenshots), len(values.stories), len(values.groups))
    single = {(1, 0, 0): "screenshot", (0, 1, 0): "story", (0, 0, 1): "group"}
    return single.get(named, "screenshots")


ACTION = Action(
    name="decide_screenshots",
    title="Decide screenshots",
    permission=BUILDS_REVIEW,
    description="Approves, rejects or clears screenshots, those of stories and groups, or a whole "
    "build, in one request. What approves the build or replaces decisions of others has to be "
    "confirmed.",
    input=Input,
    result=DecisionBatchResult,
    run=run,
    verbs=VERBS,
    # The last approval changes the baseline, as approve_build does.
    hints=Hints(destructive=True),
)
