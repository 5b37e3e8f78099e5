"""set_org_retention: set how long an organization keeps builds, unused images and recordings."""

from typing import Annotated

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.schema import ActionInput, ActionResult, JsonInteger
from visual_review.audit.log import Change, Target
from visual_review.repositories.retention import (
    MAX_DAYS,
    organization_retention_entry,
    retention_of,
)

VERB = "organization.retention_changed"
Days = Annotated[JsonInteger, Field(ge=0, le=MAX_DAYS)]


class Input(ActionInput):
    """0: never deleted. What is omitted stays as it is."""

    builds_days: Days | None = None
    images_days: Annotated[JsonInteger, Field(ge=1, le=MAX_DAYS)] | None = None
    recordings_days: Days | None = None


class Result(ActionResult):
    """Null: never deleted."""

    builds_days: int | None
    images_days: int
    recordings_days: int | None


def run(caller: Caller, values: Input) -> Outcome[Result]:
    retention = retention_of(caller.organization_id, lock=True)
    before = organization_retention_entry(retention)
    if values.builds_days is not None:
        retention.builds_days = values.builds_days or None
    if values.images_days is not None:
        retention.images_days = values.images_days
    if values.recordings_days is not None:
        retention.recordings_days = values.recordings_days or None
    retention.save()
    result = Result(
        builds_days=retention.builds_days,
        images_days=retention.images_days,
        recordings_days=retention.recordings_days,
    )
    if organization_retention_entry(retention) == before:
        return Outcome(result)
    target = Target("organization", caller.organization_id)
    return Outcome(result, (Change(VERB, target, before, organization_retention_entry(retention)),))


ACTION = Action(
    name="set_org_retention",
    title="Set retention",
    permission=REPOS_MANAGE,
    description="Sets for how many days the organization keeps builds, unused images, and "
    "recordings. Baselines are kept as long as their branch exists.",
    input=Input,
    result=Result,
    frees_space=True,
    run=run,
    verbs=(VERB,),
    # The next sweep deletes older items.
    hints=Hints(destructive=True),
)
