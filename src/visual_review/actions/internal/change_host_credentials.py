"""change_host_credentials: the connected account gets others, for the same host."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, AfterAsking, Outcome
from visual_review.actions.host_access import Accepted, Credentials, accepted
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.builds.notifying.messages import send_failed_again
from visual_review.repositories.host_accounts import (
    account_target,
    change_credentials,
    connected_account,
    still_connected,
)
from visual_review.repositories.models import HostAccount

CHANGED = "host.credentials_changed"


class Input(ActionInput):
    credentials: Credentials


class Result(ActionResult):
    id: str
    name: str


def ask(caller: Caller, values: Input) -> tuple[HostAccount, Accepted]:
    account = connected_account(caller.organization_id)
    return account, accepted(account.kind, account.address, values.credentials)


def run(_caller: Caller, values: Input, asked: tuple[HostAccount, Accepted]) -> Outcome[Result]:
    former, known = asked
    account = still_connected(former)
    before = {"name": account.name}
    change_credentials(account, known.name, values.credentials)
    send_failed_again(account)
    after = {"name": account.name, "credentials": sorted(values.credentials)}
    change = Change(CHANGED, account_target(account), before, after)
    return Outcome(Result(id=account.id, name=account.name), (change,))


ACTION = Action(
    name="change_host_credentials",
    title="Change the credentials at the source host",
    permission=REPOS_MANAGE,
    description="Stores other credentials of the connected account, after the host accepted them.",
    input=Input,
    result=Result,
    run=AfterAsking(ask, run),
    verbs=(CHANGED,),
)
