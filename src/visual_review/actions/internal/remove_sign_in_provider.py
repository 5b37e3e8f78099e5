"""remove_sign_in_provider: remove a provider for single sign-on."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import MEMBERS_MANAGE
from visual_review.accounts.single_sign_on.people import end_unconnected_access
from visual_review.accounts.single_sign_on.providers import describe, remove_provider
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change, Target

VERB = "sign_in_provider.removed"


class Input(ActionInput):
    provider_id: str


class Result(ActionResult):
    name: str


def run(caller: Caller, values: Input) -> Outcome[Result]:
    row = remove_provider(caller.organization_id, values.provider_id)
    ended = end_unconnected_access(row.organization)
    target = Target("sign_in_provider", values.provider_id, row.name)
    return Outcome(
        Result(name=row.name), (Change(VERB, target, before=describe(row), after=ended),)
    )


ACTION = Action(
    name="remove_sign_in_provider",
    title="Remove a sign-in provider",
    permission=MEMBERS_MANAGE,
    description="Removes a provider for single sign-on and ends the sessions that it opened. Its "
    "people remain members; where single sign-on is required, their keys and apps end.",
    input=Input,
    result=Result,
    run=run,
    verbs=(VERB,),
    hints=Hints(destructive=True),
)
