"""set_repo_identity: set the issuer of a repository's accepted CI identity tokens."""

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
    pin = repository.identity_pin
    before = set_issuer(repository, values.issuer)
    result = Result(repo_id=repository.id, issuer=repository.identity_issuer)
    if before == repository.identity_issuer:
        return Outcome(result)
    former = {"issuer": before, **({"hostId": pin} if pin else {})}
    change = Change(VERB, repository_target(repository), former, {"issuer": values.issuer})
    return Outcome(result, (change,))


ACTION = Action(
    name="set_repo_identity",
    title="Accept CI identity tokens",
    permission=REPOS_MANAGE,
    description="Allows CI jobs of the repository to publish with an identity token of this issuer "
    "instead of the project token; an empty issuer turns it off.",
    input=Input,
    result=Result,
    run=run,
    verbs=(VERB,),
)
