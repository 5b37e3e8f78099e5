"""unpin_repo_identity: accept another repository of the same name at the Git provider."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.repositories.audit_targets import repository_target
from visual_review.repositories.identities import remove_pin
from visual_review.repositories.queries import repository_of

UNPINNED = "repository.identity_unpinned"


class Input(ActionInput):
    repo_id: str


class Result(ActionResult):
    repo_id: str


def run(caller: Caller, values: Input) -> Outcome[Result]:
    repository = repository_of(caller.organization_id, values.repo_id, lock=True)
    former = remove_pin(repository)
    change = Change(UNPINNED, repository_target(repository), before={"hostId": former})
    return Outcome(Result(repo_id=repository.id), (change,))


ACTION = Action(
    name="unpin_repo_identity",
    title="Accept a new repository's identity tokens",
    permission=REPOS_MANAGE,
    description="Forgets the Git provider's id of the repository whose identity tokens were "
    "accepted; the next accepted token sets it again.",
    input=Input,
    result=Result,
    run=run,
    verbs=(UNPINNED,),
    hints=Hints(destructive=True, idempotent=False),
)
