"""rotate_repo_token: create a new project token and revoke the old one immediately."""

from typing import Literal

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.identifiers import ProjectToken, RepoId
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.repositories.queries import repository_of, repository_target
from visual_review.repositories.tokens import SECRET_NAME, active_hint, hint_of, rotate_token

VERB = "repository.token_rotated"


class Input(ActionInput):
    repo_id: RepoId


class Result(ActionResult):
    """The new project token; the old one stopped working."""

    repo_id: RepoId
    project_token: ProjectToken
    secret_name: Literal["UI_REVIEW_TOKEN"] = Field(
        description="The name of the CI secret to replace with the token."
    )


def run(caller: Caller, values: Input) -> Outcome[Result]:
    repository = repository_of(caller.organization_id, values.repo_id, lock=True)
    before = active_hint(repository)
    token = rotate_token(repository, caller.id)
    change = Change(
        VERB,
        repository_target(repository),
        before={"tokenHint": before},
        after={"tokenHint": hint_of(token)},
    )
    result = Result(repo_id=repository.id, project_token=token, secret_name=SECRET_NAME)
    return Outcome(result, (change,))


ACTION = Action(
    name="rotate_repo_token",
    title="Rotate the project token",
    permission=REPOS_MANAGE,
    description="Ends a repository's CI project token at once and returns a new one, this once: "
    "replace the CI secret UI_REVIEW_TOKEN.",
    input=Input,
    result=Result,
    run=run,
    verbs=(VERB,),
    # The old token is revoked for good, and every call creates a new one.
    hints=Hints(destructive=True, idempotent=False),
    secret_result=True,
)
