"""change_host_credentials: new credentials for the connected account, at the same host."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, AfterNetwork, Outcome
from visual_review.actions.host_access import Credentials, VerifiedAccount, verify_credentials
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.builds.notifying.messages import send_failed_again
from visual_review.repositories.host_accounts import (
    account_target,
    change_credentials,
    connected_account,
    lock_unchanged_account,
)
from visual_review.repositories.models import HostAccount

CHANGED = "host.credentials_changed"


class Input(ActionInput):
    credentials: Credentials


class Result(ActionResult):
    id: str
    name: str


def call_host(caller: Caller, values: Input) -> tuple[HostAccount, VerifiedAccount]:
    account = connected_account(caller.organization_id)
    return account, verify_credentials(account.kind, account.address, values.credentials)


def run(
    _caller: Caller, values: Input, response: tuple[HostAccount, VerifiedAccount]
) -> Outcome[Result]:
    former, verified = response
    account = lock_unchanged_account(former)
    before = {"name": account.name}
    change_credentials(account, verified.name, values.credentials)
    send_failed_again(account)
    after = {"name": account.name, "credentials": sorted(values.credentials)}
    change = Change(CHANGED, account_target(account), before, after)
    return Outcome(Result(id=account.id, name=account.name), (change,))


ACTION = Action(
    name="change_host_credentials",
    title="Change the Git provider's credentials",
    permission=REPOS_MANAGE,
    description="Stores new credentials of the connected account once the host has accepted them.",
    input=Input,
    result=Result,
    run=AfterNetwork(call_host, run),
    verbs=(CHANGED,),
)
