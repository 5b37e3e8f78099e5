"""restore_baseline: restore an earlier version of a branch's baseline."""

from typing import Annotated

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_REVIEW
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.schema import ActionInput, ActionResult, JsonInteger
from visual_review.audit.log import Change, Target
from visual_review.builds.baselines.restore import restore_baseline
from visual_review.builds.queries import baseline_of

VERB = "baseline.restored"
REASON_LENGTH = 2000


class Input(ActionInput):
    baseline_id: str
    # The column has 32 bits; a larger number would fail in the database.
    version: Annotated[JsonInteger, Field(ge=1, le=2_000_000_000)]
    reason: str = Field(default="", max_length=REASON_LENGTH)


class Result(ActionResult):
    baseline_id: str
    version: int


def run(caller: Caller, values: Input) -> Outcome[Result]:
    baseline = baseline_of(caller.organization_id, values.baseline_id)
    version = restore_baseline(baseline, values.version, (caller.id, caller.name), values.reason)
    change = Change(
        VERB,
        Target(
            "baseline", baseline.id, f"{baseline.product.repository.full_name} {baseline.branch}"
        ),
        # Versions are numbered without gaps under a lock, so the previous one was the current one.
        before={"move": version.sequence - 1},
        after={"move": version.sequence, "restored": values.version, "reason": values.reason},
    )
    return Outcome(Result(baseline_id=baseline.id, version=version.sequence), (change,))


ACTION = Action(
    name="restore_baseline",
    title="Restore a baseline",
    permission=BUILDS_REVIEW,
    description="Restores an earlier version of a branch's baseline. Nothing is lost: the restore "
    "creates a new version and can be undone in the same way.",
    input=Input,
    result=Result,
    run=run,
    verbs=(VERB,),
    hints=Hints(destructive=True),
)
