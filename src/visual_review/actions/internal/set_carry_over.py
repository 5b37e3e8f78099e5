"""set_carry_over: set whether approvals carry over across pull requests."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.repositories.audit_targets import repository_target
from visual_review.repositories.carry_over import choose_carry_over
from visual_review.repositories.queries import repository_of

VERB = "repository.carry_over_changed"


class Input(ActionInput):
    repo_id: str
    across_pull_requests: bool


class Result(ActionResult):
    repo_id: str
    across_pull_requests: bool


def run(caller: Caller, values: Input) -> Outcome[Result]:
    repository = repository_of(caller.organization_id, values.repo_id)
    across = values.across_pull_requests
    result = Result(repo_id=repository.id, across_pull_requests=across)
    if not choose_carry_over(repository, across=across):
        return Outcome(result)
    key = "acrossPullRequests"
    change = Change(VERB, repository_target(repository), {key: not across}, {key: across})
    return Outcome(result, (change,))


ACTION = Action(
    name="set_carry_over",
    title="Set carried-over approvals",
    permission=REPOS_MANAGE,
    description="Sets whether an approval counts in other pull requests that show the same "
    "change. Builds that are compared from now on follow it.",
    input=Input,
    result=Result,
    run=run,
    verbs=(VERB,),
)
