"""require_single_sign_on: allow only one owner to sign in with a password."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import MEMBERS_MANAGE
from visual_review.accounts.single_sign_on.people import end_unconnected_access
from visual_review.accounts.single_sign_on.providers import require_single_sign_on
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change, Target

VERB = "organization.single_sign_on_changed"


class Input(ActionInput):
    """``ownerId`` is the one person who may use a password; empty: everyone."""

    owner_id: str


class Result(ActionResult):
    owner_id: str
    revoked_keys: int = 0
    disconnected_apps: int = 0


def run(caller: Caller, values: Input) -> Outcome[Result]:
    organization, before = require_single_sign_on(caller.organization_id, values.owner_id)
    ended = end_unconnected_access(organization) if values.owner_id else {}
    result = Result(
        owner_id=values.owner_id,
        revoked_keys=ended.get("revokedKeys", 0),
        disconnected_apps=ended.get("disconnectedApps", 0),
    )
    if before == values.owner_id:
        return Outcome(result)
    target = Target("organization", organization.pk, organization.name)
    after = {"passwordOwner": values.owner_id, **ended}
    return Outcome(result, (Change(VERB, target, {"passwordOwner": before}, after),))


ACTION = Action(
    name="require_single_sign_on",
    title="Require single sign-on",
    permission=MEMBERS_MANAGE,
    description="Allows only one owner to sign in with a password. Keys and apps of members who "
    "never signed in through a provider end.",
    input=Input,
    result=Result,
    run=run,
    verbs=(VERB,),
    hints=Hints(destructive=True),
)
