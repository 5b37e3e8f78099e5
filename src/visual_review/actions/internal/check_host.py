"""check_host: asks the source host whether the connected account still works."""

from dataclasses import dataclass

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, AfterAsking, Outcome
from visual_review.actions.host_access import host_of
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.builds.notifying.messages import send_failed_again
from visual_review.kernel.errors import ConflictError
from visual_review.repositories.host_accounts import (
    account_target,
    connected_account,
    note_answer,
    record_problem,
    still_connected,
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
class Answer:
    account: HostAccount
    name: str
    problem: str


def ask(caller: Caller, _values: Input) -> Answer:
    account = connected_account(caller.organization_id)
    try:
        with host_of(account) as host:
            return Answer(account, host.identity().name, "")
    # Only what a person must mend is noted; a host that is down has told nothing of the account.
    except ConflictError as error:
        return Answer(account, account.name, str(error))


def run(_caller: Caller, _values: Input, answer: Answer) -> Outcome[Result]:
    account = still_connected(answer.account)
    before = {"name": account.name, "problem": account.problem}
    if answer.problem:
        record_problem(account, answer.problem)
    else:
        note_answer(account, answer.name)
        send_failed_again(account)
    after = {"name": account.name, "problem": account.problem}
    change = Change(CHECKED, account_target(account), before, after)
    return Outcome(Result(name=account.name, problem=account.problem), (change,))


ACTION = Action(
    name="check_host",
    title="Check the account at the source host",
    permission=REPOS_MANAGE,
    description="Asks the source host whether it still accepts the connected account, and looks "
    "for the organization's repositories there.",
    input=Input,
    result=Result,
    run=AfterAsking(ask, run),
    verbs=(CHECKED,),
)
