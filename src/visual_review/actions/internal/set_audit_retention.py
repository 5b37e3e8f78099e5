"""set_audit_retention: set how long the audit log is kept."""

from typing import Annotated, Final

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import MEMBERS_MANAGE
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.schema import ActionInput, ActionResult, JsonInteger
from visual_review.audit.log import Change, Target
from visual_review.repositories.retention import MAX_DAYS, retention_of

VERB = "organization.audit_retention_changed"
# A shorter period would let an owner hide last week's events.
LEAST_DAYS: Final = 30


class Input(ActionInput):
    """Null: kept forever."""

    days: Annotated[JsonInteger, Field(ge=LEAST_DAYS, le=MAX_DAYS)] | None


class Result(ActionResult):
    days: int | None


def run(caller: Caller, values: Input) -> Outcome[Result]:
    retention = retention_of(caller.organization_id, lock=True)
    before, retention.audit_days = retention.audit_days, values.days
    retention.save(update_fields=["audit_days"])
    result = Result(days=values.days)
    if before == values.days:
        return Outcome(result)
    target = Target("organization", caller.organization_id)
    return Outcome(result, (Change(VERB, target, {"days": before}, {"days": values.days}),))


ACTION = Action(
    name="set_audit_retention",
    title="Set how long the audit log is kept",
    # Only owners have this permission: the log is about admins, too.
    permission=MEMBERS_MANAGE,
    description="Sets for how many days entries of the audit log are kept.",
    input=Input,
    result=Result,
    frees_space=True,
    run=run,
    verbs=(VERB,),
    # The next sweep deletes older entries.
    hints=Hints(destructive=True),
)
