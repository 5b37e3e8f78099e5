"""Decisions on the review page, and restoring a baseline."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_REVIEW, BUILDS_VIEW
from visual_review.actions.action import Operation, Outcome
from visual_review.actions.decision_results import (
    DecisionBatchResult,
    decider_of,
    decision_change,
    shot_target,
)
from visual_review.actions.published.review_screenshot import COMMENT_LENGTH
from visual_review.actions.schema import ActionInput, ActionResult, JsonInteger
from visual_review.audit.log import Change, Target
from visual_review.builds.baselines.store import restore_baseline
from visual_review.builds.cursors import parse_cursor
from visual_review.builds.queries import baseline_of, build_of
from visual_review.builds.reviewing.approval import ApprovalPreview, preview_approval
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
from visual_review.builds.reviewing.undo import undo

DECISION_UNDONE = "decision.undone"
BASELINE_RESTORED = "baseline.restored"

# More than any build has.
MOST_NAMED = 50_000
# A story's or screenshot's id in the audit log; the rest is counted.
MOST_LOGGED = 50
DECISION_VERBS = tuple(
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


class DecidedGroup(ActionInput):
    """``revision`` is that of the group as it was shown."""

    id: str
    revision: str


class DecideScreenshotsInput(ActionInput):
    """``requestId`` is new for each decision, and the same when it is sent again.

    ``seen`` is the cursor of the build as the reviewer saw it.
    """

    build_id: str
    request_id: RequestId
    decision: BatchDecision
    screenshots: Names
    stories: Names
    groups: list[DecidedGroup] = Field(default_factory=list, max_length=MOST_NAMED)
    build: bool = False
    include_unchanged: bool = False
    comment: Annotated[str, AfterValidator(_check_comment)] = ""
    seen: str = ""
    confirmed: list[Confirmation] = Field(default_factory=list)


def _decide_screenshots(
    caller: Caller, values: DecideScreenshotsInput
) -> Outcome[DecisionBatchResult]:
    """Approve, reject or clear screenshots, stories, groups or a build at once.

    What approves the build or replaces decisions of others has to be confirmed.
    """
    decider = decider_of(caller)
    result = decide(caller.organization_id, values.build_id, _decision_request(values), decider)
    return Outcome(DecisionBatchResult.of(result), _decision_changes(values, result))


def _decision_request(values: DecideScreenshotsInput) -> DecisionRequest:
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


def _decision_changes(values: DecideScreenshotsInput, result: DecisionResult) -> tuple[Change, ...]:
    named = {
        "screenshotIds": values.screenshots[:MOST_LOGGED],
        "storyIds": values.stories[:MOST_LOGGED],
        "groupIds": [group.id for group in values.groups[:MOST_LOGGED]],
        "comment": values.comment,
        "confirmed": values.confirmed,
    }
    after: dict[str, Any] = {name: value for name, value in named.items() if value}
    subject = _subject_of(values)
    target = shot_target(result.shots[0]) if subject == "screenshot" and result.shots else None
    return decision_change(f"{subject}.{values.decision}", result, after, target)


def _subject_of(values: DecideScreenshotsInput) -> str:
    """Return the request's subject in the form of the audit log."""
    if values.build:
        return "build"
    named = (len(values.screenshots), len(values.stories), len(values.groups))
    single = {(1, 0, 0): "screenshot", (0, 1, 0): "story", (0, 0, 1): "group"}
    return single.get(named, "screenshots")


class UndoDecisionInput(ActionInput):
    """``requestId`` is new for each undo, and the same when it is sent again."""

    build_id: str
    request_id: RequestId
    decision_id: str


def _undo_decision(caller: Caller, values: UndoDecisionInput) -> Outcome[DecisionBatchResult]:
    """Undo the caller's own decision on screenshots.

    Not possible after someone decided since, or once the build is approved.
    """
    result = undo(
        caller.organization_id,
        values.build_id,
        values.request_id,
        values.decision_id,
        decider_of(caller),
    )
    changes = decision_change(DECISION_UNDONE, result, {"undone": values.decision_id})
    return Outcome(DecisionBatchResult.of(result), changes)


class PreviewApprovalInput(ActionInput):
    build_id: str
    include_unchanged: bool = False


class Rejections(ActionResult):
    """``by`` is the name of who rejected so many."""

    by: str
    count: int


class PreviewApprovalResult(ActionResult):
    """The approval would create this version of the baseline of ``branch``.

    ``rollsBack``: a newer build created the current version. ``replacesBuild`` is its number,
    older or newer.
    """

    undecided: int
    changed: int
    new: int
    removed: int
    removals_open: int
    failures: int
    unchanged: int
    rejections: list[Rejections]
    version: int
    branch: str
    rolls_back: bool
    replaces_build: int | None
    already_approved: bool


def preview_result(preview: ApprovalPreview) -> PreviewApprovalResult:
    rejections = [Rejections(by=each.by, count=each.count) for each in preview.rejections]
    return PreviewApprovalResult.model_validate({**vars(preview), "rejections": rejections})


def _preview_approval(
    caller: Caller, values: PreviewApprovalInput
) -> Outcome[PreviewApprovalResult]:
    """Return what approving the build would do."""
    build = build_of(caller.organization_id, values.build_id)
    preview = preview_approval(build, everything=values.include_unchanged)
    return Outcome(preview_result(preview))


REASON_LENGTH = 2000


class RestoreBaselineInput(ActionInput):
    baseline_id: str
    # The column has 32 bits; a larger number would fail in the database.
    version: Annotated[JsonInteger, Field(ge=1, le=2_000_000_000)]
    reason: str = Field(default="", max_length=REASON_LENGTH)


class RestoreBaselineResult(ActionResult):
    baseline_id: str
    version: int


def _restore_baseline(
    caller: Caller, values: RestoreBaselineInput
) -> Outcome[RestoreBaselineResult]:
    """Restore an earlier version of a branch's baseline.

    Nothing is lost: the restore creates a new version and can be undone in the same way.
    """
    baseline = baseline_of(caller.organization_id, values.baseline_id)
    version = restore_baseline(baseline, values.version, (caller.id, caller.name), values.reason)
    change = Change(
        BASELINE_RESTORED,
        Target(
            "baseline", baseline.id, f"{baseline.product.repository.full_name} {baseline.branch}"
        ),
        # Versions are numbered without gaps under a lock, so the previous one was the current one.
        before={"move": version.sequence - 1},
        after={"move": version.sequence, "restored": values.version, "reason": values.reason},
    )
    return Outcome(
        RestoreBaselineResult(baseline_id=baseline.id, version=version.sequence), (change,)
    )


ACTIONS = (
    Operation(
        name="decide_screenshots",
        permission=BUILDS_REVIEW,
        input=DecideScreenshotsInput,
        run=_decide_screenshots,
        verbs=DECISION_VERBS,
    ),
    Operation(
        name="undo_decision",
        permission=BUILDS_REVIEW,
        input=UndoDecisionInput,
        run=_undo_decision,
        verbs=(DECISION_UNDONE,),
    ),
    Operation(
        name="preview_approval",
        permission=BUILDS_VIEW,
        input=PreviewApprovalInput,
        run=_preview_approval,
    ),
    Operation(
        name="restore_baseline",
        permission=BUILDS_REVIEW,
        input=RestoreBaselineInput,
        run=_restore_baseline,
        verbs=(BASELINE_RESTORED,),
    ),
)
