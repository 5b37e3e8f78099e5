"""set_sign_in_policy: who may sign in with a password, and whether with a second factor."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import MEMBERS_MANAGE
from visual_review.accounts.single_sign_on.people import end_unconnected_access
from visual_review.accounts.single_sign_on.providers import set_sign_in_policy
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change, Target

VERB = "organization.sign_in_policy_changed"


class Input(ActionInput):
    """``passwordOwnerId`` is the one person who may use a password; empty: everyone."""

    password_owner_id: str
    requires_second_factor: bool


class Result(ActionResult):
    revoked_keys: int
    disconnected_apps: int


def run(caller: Caller, values: Input) -> Outcome[Result]:
    organization, before = set_sign_in_policy(
        caller.organization_id, values.password_owner_id, requires=values.requires_second_factor
    )
    ended = end_unconnected_access(organization)
    result = Result.model_validate(ended)
    after = values.model_dump(by_alias=True)
    if before == after:
        return Outcome(result)
    target = Target("organization", organization.pk, organization.name)
    return Outcome(result, (Change(VERB, target, before, after | ended),))


ACTION = Action(
    name="set_sign_in_policy",
    title="Set how members sign in",
    permission=MEMBERS_MANAGE,
    description="Sets whether only one owner may sign in with a password, and whether passwords "
    "need a second factor. Keys and apps of members who never signed in through a provider end "
    "where single sign-on is required.",
    input=Input,
    result=Result,
    run=run,
    verbs=(VERB,),
    hints=Hints(destructive=True),
)
