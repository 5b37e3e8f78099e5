"""check_host: check whether the connected account at the Git provider still works."""

from dataclasses import dataclass

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, AfterNetwork, Outcome
from visual_review.actions.host_access import open_account_host
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.builds.notifying.messages import send_failed_again
from visual_review.kernel.errors import ConflictError
from visual_review.repositories.host_accounts import (
    account_target,
    connected_account,
    lock_unchanged_account,
    record_problem,
    record_success,
)
from visual_review.repositories.models import HostAccount

CHECKED = "host.checked"


class Input(ActionInput):
    pass


class Result(ActionResult):
    """``problem`` is empty while the account works."""

    name: str
    problem: str


@dataclass(frozen=True)
class CheckResult:
    account: HostAccount
    name: str
    problem: str


def call_host(caller: Caller, _values: Input) -> CheckResult:
    account = connected_account(caller.organization_id)
    try:
        with open_account_host(account) as host:
            return CheckResult(account, host.get_identity().name, "")
    # Only problems to be fixed by a person are stored; a host's outage says nothing about the
    # account.
    except ConflictError as error:
        return CheckResult(account, account.name, str(error))


def run(_caller: Caller, _values: Input, checked: CheckResult) -> Outcome[Result]:
    account = lock_unchanged_account(checked.account)
    before = {"name": account.name, "problem": account.problem}
    if checked.problem:
        record_problem(account, checked.problem)
    else:
        record_success(account, checked.name)
        send_failed_again(account)
    after = {"name": account.name, "problem": account.problem}
    change = Change(CHECKED, account_target(account), before, after)
    return Outcome(Result(name=account.name, problem=account.problem), (change,))


ACTION = Action(
    name="check_host",
    title="Check the account at the Git provider",
    permission=REPOS_MANAGE,
    description="Checks whether the Git provider still accepts the connected account, and looks "
    "for the organization's repositories there.",
    input=Input,
    result=Result,
    run=AfterNetwork(call_host, run),
    verbs=(CHECKED,),
)
