"""set_repo_identity: whose identity tokens of CI jobs a repository takes."""

from typing import Annotated

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.repositories.audit_targets import repository_target
from visual_review.repositories.identities import set_issuer
from visual_review.repositories.models import URL_LENGTH
from visual_review.repositories.queries import repository_of

VERB = "repository.identity_changed"


class Input(ActionInput):
    repo_id: str
    issuer: Annotated[str, Field(max_length=URL_LENGTH)]


class Result(ActionResult):
    repo_id: str
    issuer: str


def run(caller: Caller, values: Input) -> Outcome[Result]:
    repository = repository_of(caller.organization_id, values.repo_id, lock=True)
    before = set_issuer(repository, values.issuer)
    result = Result(repo_id=repository.id, issuer=repository.identity_issuer)
    if before == repository.identity_issuer:
        return Outcome(result)
    change = Change(
        VERB, repository_target(repository), {"issuer": before}, {"issuer": values.issuer}
    )
    return Outcome(result, (change,))


ACTION = Action(
    name="set_repo_identity",
    title="Take identity tokens of CI",
    permission=REPOS_MANAGE,
    description="Lets CI jobs of the repository publish with the identity that this issuer gives "
    "them, without the project token; an empty issuer ends it.",
    input=Input,
    result=Result,
    run=run,
    verbs=(VERB,),
)
