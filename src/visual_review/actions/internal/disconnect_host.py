"""disconnect_host: delete the account at the Git provider, with the account's secrets."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.repositories.host_accounts import (
    account_target,
    connected_account,
    disconnect_account,
    lock_unchanged_account,
)

DISCONNECTED = "host.disconnected"


class Input(ActionInput):
    pass


class Result(ActionResult):
    name: str
    address: str


def run(caller: Caller, _values: Input) -> Outcome[Result]:
    account = lock_unchanged_account(connected_account(caller.organization_id))
    before = {"kind": account.kind, "address": account.address, "name": account.name}
    change = Change(DISCONNECTED, account_target(account), before=before)
    result = Result(name=account.name, address=account.address)
    disconnect_account(account)
    return Outcome(result, (change,))


ACTION = Action(
    name="disconnect_host",
    title="Disconnect the account at the Git provider",
    permission=REPOS_MANAGE,
    description="Deletes the account's credentials and webhook secret. Repositories and builds "
    "stay; the provider is not notified any more, and CI identity tokens are no longer accepted.",
    input=Input,
    result=Result,
    run=run,
    verbs=(DISCONNECTED,),
    hints=Hints(destructive=True),
)
