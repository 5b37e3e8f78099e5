"""What the decision actions share: who decides, the result, and the audit entry."""

from collections.abc import Mapping, Sequence
from typing import Self, cast

from pydantic import Field, PrivateAttr

from visual_review.accounts.callers import Caller
from visual_review.actions.decision_evidence import summarize_evidence
from visual_review.actions.schema import ActionResult
from visual_review.actions.viewers import viewer_of
from visual_review.audit.log import Change
from visual_review.builds.audit_targets import build_target
from visual_review.builds.review_obstacles import count_open, describe_obstacles
from visual_review.builds.reviewing.approval import Decider
from visual_review.builds.reviewing.build_facts import RejectionCount
from visual_review.builds.reviewing.decisions import DecisionResult, ReviewedShot
from visual_review.builds.reviewing.overridden import describe_overridden
from visual_review.builds.states import APPROVED, Decision, ReviewState

ROLLBACK = (
    "This build is older than the one the baseline came from, so the baseline was rolled back. "
    "To undo that, approve the newer build again."
)
STILL_BASELINE = (
    "This build is the branch's current baseline, and a rejection does not change a baseline. "
    "To go back, restore an earlier version in the baseline's history or approve another build."
)


class DecidedScreenshot(ActionResult):
    """The screenshot that was reviewed, after the decision."""

    id: str = Field(
        description="The screenshot's id.", examples=["shot_01jq3v8e6m5x0c2n9d4t7r1kzc"]
    )
    decision: Decision = Field(description="The decision on it now.", examples=["rejected"])
    comment: str | None = Field(
        description="The comment stored with the decision; null if it has none.",
        examples=["The hover color is lost in dark."],
    )


class DecidedResult(ActionResult):
    """What a decision did, and what is left to decide."""

    build_id: str = Field(
        description="The build's id.", examples=["build_01jq3v8e6m5x0c2n9d4t7r1kzb"]
    )
    review_state: ReviewState = Field(
        description="The build's review state after the decision.", examples=["unreviewed"]
    )
    finalized: bool = Field(
        description="Whether the build is approved and is now its branch's baseline.",
        examples=[False],
    )
    decided_screenshots: int = Field(
        description="How many screenshots this decision was on.", examples=[1]
    )
    accepted_removals: int = Field(
        description="How many removed screenshots are no longer in the baseline.", examples=[0]
    )
    baseline_move: int | None = Field(
        description="The version of the baseline that the approval created; null if none.",
        examples=[None],
    )
    open_screenshots: int = Field(
        description="How many changed and new screenshots of the build have no decision.",
        examples=[4],
    )
    failed_screenshots: int = Field(
        description="How many screenshots of the build failed, and cannot be decided.",
        examples=[0],
    )
    screenshot: DecidedScreenshot | None = Field(
        description="The screenshot that was reviewed; null for decisions on several.",
    )
    warnings: list[str] = Field(
        description="What the caller should know: rejections that were overridden, a baseline "
        "that went back, and what keeps the build unreviewed although no changed or new "
        "screenshot is undecided, with the action that ends it.",
        examples=[["2 rejections by Bob and Carol are overridden."]],
    )
    # For texts, not published: how many screenshots have each diff state and decision, and whose
    # rejections were replaced.
    _pairs: Mapping[tuple[str, str], int] = PrivateAttr(default_factory=dict)
    _overridden: Sequence[RejectionCount] = PrivateAttr(default=())

    @property
    def pairs(self) -> Mapping[tuple[str, str], int]:
        return self._pairs

    @property
    def overridden(self) -> Sequence[RejectionCount]:
        return self._overridden

    @classmethod
    def of(cls, decided: DecisionResult, warnings: list[str]) -> Self:
        found = cls(
            build_id=decided.build.id,
            review_state=cast("ReviewState", decided.build.review_state),
            finalized=decided.finalized,
            decided_screenshots=decided.screenshots,
            accepted_removals=decided.accepted_removals if decided.finalized else 0,
            baseline_move=decided.version,
            # An approved build has none, whatever approved it.
            open_screenshots=count_open(decided.pairs),
            failed_screenshots=decided.build.failed_count,
            screenshot=_screenshot(decided.shot),
            warnings=warnings,
        )
        found._pairs = decided.pairs
        found._overridden = decided.overridden
        return found


def _screenshot(shot: ReviewedShot | None) -> DecidedScreenshot | None:
    if shot is None:
        return None
    return DecidedScreenshot(id=shot.id, decision=shot.decision, comment=shot.comment or None)


def decider_of(caller: Caller) -> Decider:
    # An MCP client may use a key too, but the channel says more about who decided.
    if caller.channel == "mcp":
        source = "mcp"
    elif caller.key_id is not None:
        source = "api_key"
    else:
        source = "user"
    # Of programs with an API key, only the evidence has the name: lists show that of MCP clients.
    client = caller.client if source == "mcp" else ""
    viewer = None if source == "user" else viewer_of(caller)
    return Decider(source, caller.id, caller.name, client, viewer=viewer)


def decided_result(decided: DecisionResult) -> DecidedResult:
    warnings = []
    if decided.rolled_back:
        warnings.append(ROLLBACK)
    # The warning is about rejections; an approval that changed nothing does not need it.
    if decided.still_baseline and decided.build.review_state != APPROVED:
        warnings.append(STILL_BASELINE)
    if overridden := describe_overridden(decided.overridden):
        warnings.append(overridden)
    warnings += describe_obstacles(decided.build.review_state, decided.pairs)
    return DecidedResult.of(decided, warnings)


def build_changes(verb: str, decided: DecisionResult, **named: str) -> tuple[Change, ...]:
    """Return the audit entry, with what the request ``named``; none if nothing changed."""
    if decided.is_repeated:
        return ()
    change = Change(
        verb,
        build_target(decided.build),
        before={"reviewState": decided.before},
        after={
            "reviewState": decided.build.review_state,
            "screenshots": decided.screenshots,
            "baselineMove": decided.version,
            **named,
            **summarize_evidence(decided.written),
        },
    )
    return (change,)
