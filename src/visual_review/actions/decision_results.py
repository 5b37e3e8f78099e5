"""Shared by the decision actions: the decider, the result, and the audit entry."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Self, cast

from pydantic import Field, PrivateAttr

from visual_review.accounts.callers import Caller
from visual_review.actions.schema import ActionResult
from visual_review.actions.viewers import viewer_of
from visual_review.audit.log import Change, Target
from visual_review.builds.audit_targets import build_target
from visual_review.builds.review_obstacles import (
    count_open,
    count_open_removals,
    describe_obstacles,
)
from visual_review.builds.reviewing.approval import Decider
from visual_review.builds.reviewing.decide import decide
from visual_review.builds.reviewing.plan import RejectionCount, SelectedShot, describe_overridden
from visual_review.builds.reviewing.requests import CONFIRMED, DecisionRequest, Selection
from visual_review.builds.reviewing.results import DecisionEffect, DecisionResult
from visual_review.builds.reviewing.writes import WrittenEntries
from visual_review.builds.states import Decision, ReviewState

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
    decision: Decision = Field(description="The current decision.", examples=["rejected"])
    comment: str | None = Field(
        description="The comment stored with the decision; null if it has none.",
        examples=["The hover color is lost in dark."],
    )


class BuildAfterDecisions(ActionResult):
    """A build after decisions, and what is left to decide in it."""

    build_id: str = Field(
        description="The build's id.", examples=["build_01jq3v8e6m5x0c2n9d4t7r1kzb"]
    )
    review_state: ReviewState = Field(
        description="The build's review state after the decision.", examples=["unreviewed"]
    )
    finalized: bool = Field(
        description="Whether the build is approved and is now the branch's baseline.",
        examples=[False],
    )
    decided_screenshots: int = Field(
        description="Number of screenshots in the decision.", examples=[1]
    )
    accepted_removals: int = Field(
        description="How many removed screenshots are no longer in the baseline.", examples=[0]
    )
    baseline_move: int | None = Field(
        description="The version of the baseline created by the approval; null if none.",
        examples=[None],
    )
    open_screenshots: int = Field(
        description="How many changed and new screenshots of the build have no decision.",
        examples=[4],
    )
    removals_open: int = Field(
        description="Number of removed screenshots of the build without a decision. Undecided "
        "removals do not block an approval of the build, and are accepted with the "
        "build.",
        examples=[0],
    )
    failed_screenshots: int = Field(
        description="How many screenshots of the build failed, and cannot be decided.",
        examples=[0],
    )


class DecidedResult(BuildAfterDecisions):
    """What a decision did, and what is left to decide."""

    screenshot: DecidedScreenshot | None = Field(
        description="The reviewed screenshot; null for decisions on several.",
    )
    warnings: list[str] = Field(
        description="Notes for the caller: overridden rejections, a baseline that went back, "
        "and the reason why the build stays unreviewed although no changed or new "
        "screenshot is undecided, with the action that ends the review.",
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
    def of(cls, result: DecisionResult, shot: DecidedScreenshot | None = None) -> Self:
        """Return the published result; ``shot`` is set for a decision on one screenshot alone."""
        effect, state = result.effect, result.build.review_state
        obstacles = [] if effect.finalized else describe_obstacles(state, result.pairs)
        found = cls(
            build_id=result.build.id,
            review_state=cast("ReviewState", state),
            finalized=effect.finalized,
            # A repeated decision is on its screenshot, too.
            decided_screenshots=1 if shot else effect.decided,
            accepted_removals=effect.accepted_removals,
            baseline_move=effect.version,
            open_screenshots=count_open(result.pairs),
            removals_open=count_open_removals(result.pairs),
            failed_screenshots=result.build.failed_count,
            screenshot=shot,
            warnings=[
                *describe_effect(effect),
                *filter(None, (describe_overridden(result.overridden),)),
                *obstacles,
            ],
        )
        found._pairs = result.pairs
        found._overridden = result.overridden
        return found


class DecisionBatchResult(ActionResult):
    """What a request of the page did, or had done when it was sent before.

    ``version`` is that of the baseline that an approval of the build created. ``acceptedRemovals``
    and ``acceptedFailures`` count screenshots of the approved build, ``openScreenshots`` the
    changed and new ones that have no decision now, ``failedScreenshots`` those that cannot have
    one. ``undoable`` is true until the build is approved.
    """

    decision_id: str
    build_id: str
    review_state: ReviewState
    decided: int
    finalized: bool
    version: int | None
    accepted_removals: int
    accepted_failures: int
    open_screenshots: int
    removals_open: int
    failed_screenshots: int
    warnings: list[str]
    undoable: bool

    @classmethod
    def of(cls, result: DecisionResult) -> Self:
        effect, batch = result.effect, result.batch
        return cls(
            decision_id=batch.id if batch else "",
            build_id=result.build.id,
            review_state=cast("ReviewState", result.build.review_state),
            decided=effect.decided,
            finalized=effect.finalized,
            version=effect.version,
            accepted_removals=effect.accepted_removals,
            accepted_failures=effect.accepted_failures,
            open_screenshots=count_open(result.pairs),
            removals_open=count_open_removals(result.pairs),
            failed_screenshots=result.build.failed_count,
            warnings=describe_effect(effect),
            undoable=batch is not None and batch.before is not None,
        )


def decide_whole_build(
    caller: Caller, build_id: str, decision: Decision, *, unchanged: bool = False
) -> DecisionResult:
    """Decide all of a build, without a question; raises like ``decide``."""
    selection = Selection(whole_build=True, unchanged=unchanged)
    request = DecisionRequest(decision=decision, selection=selection, confirmed=CONFIRMED)
    return decide(caller.organization_id, build_id, request, decider_of(caller))


def decider_of(caller: Caller) -> Decider:
    # An MCP client may use a key too, but the channel says more about who decided.
    if caller.channel == "mcp":
        source = "mcp"
    elif caller.key_id is not None:
        source = "api_key"
    else:
        source = "user"
    # The name of a program with an API key is only in the evidence: lists show only MCP clients'
    # names.
    client = caller.client if source == "mcp" else ""
    viewer = None if source == "user" else viewer_of(caller)
    return Decider(source, caller.id, caller.name, client, viewer=viewer)


def describe_effect(effect: DecisionEffect) -> list[str]:
    """Return effects unexpected by a reviewer: a rollback, and a rejection without effect."""
    found = []
    if effect.rolled_back:
        found.append(ROLLBACK)
    if effect.still_baseline:
        found.append(STILL_BASELINE)
    return found


def decision_change(
    verb: str, result: DecisionResult, named: Mapping[str, object], target: Target | None = None
) -> tuple[Change, ...]:
    """Return the audit entry, with the values ``named`` by the request; none without a change."""
    if not result.has_effect:
        return ()
    effect = result.effect
    kept = {} if result.batch is None else {"decisionId": result.batch.id}
    change = Change(
        verb,
        target or build_target(result.build),
        before={"reviewState": effect.before},
        after={
            "reviewState": effect.after,
            "screenshots": effect.decided,
            "baselineMove": effect.version,
            **kept,
            **named,
            **summarize_evidence(result.written),
        },
    )
    return (change,)


def shot_target(shot: SelectedShot) -> Target:
    return Target("screenshot", shot.id, f"{shot.story_id} {shot.theme} {shot.device}")


def summarize_evidence(written: WrittenEntries) -> dict[str, Any]:
    """Return the deciding program and the images it had looked at; empty for the pages.

    A decision on one screenshot has the images with their hashes, the review log has all.
    """
    if written.evidence is None:
        return {}
    found = json.loads(written.evidence)
    images = {name: found[name] for name in ("images", "places", "seen") if name in found}
    counts = {"screenshots": written.count, "withoutImage": written.unseen}
    more = images if written.count == 1 else counts
    return {"evidence": {"client": found["client"], "version": found["version"], **more}}
