"""disconnect_host: forgets the account at the source host, with its secrets."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.repositories.host_accounts import (
    account_target,
    connected_account,
    disconnect_account,
    still_connected,
)

DISCONNECTED = "host.disconnected"


class Input(ActionInput):
    pass


class Result(ActionResult):
    name: str
    address: str


def run(caller: Caller, _values: Input) -> Outcome[Result]:
    account = still_connected(connected_account(caller.organization_id))
    before = {"kind": account.kind, "address": account.address, "name": account.name}
    change = Change(DISCONNECTED, account_target(account), before=before)
    result = Result(name=account.name, address=account.address)
    disconnect_account(account)
    return Outcome(result, (change,))


ACTION = Action(
    name="disconnect_host",
    title="Disconnect the account at the source host",
    permission=REPOS_MANAGE,
    description="Deletes the account's credentials and secret. Repositories and builds stay; "
    "nothing more is told to the host, and identity tokens of CI are no longer taken.",
    input=Input,
    result=Result,
    run=run,
    verbs=(DISCONNECTED,),
    hints=Hints(destructive=True),
)
