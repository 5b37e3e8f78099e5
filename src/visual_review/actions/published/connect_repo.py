"""connect_repo: a repository of a source host becomes known here."""

from typing import Literal

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.results import RepositoryResult
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.repositories.connect import connect_repository
from visual_review.repositories.models import Repository
from visual_review.repositories.names import (
    BRANCH_LENGTH,
    BRANCH_PATTERN,
    FULL_NAME_PATTERN,
    NAME_LENGTH,
)
from visual_review.repositories.targets import repository_target
from visual_review.repositories.tokens import SECRET_NAME

VERB = "repository.connected"


class Input(ActionInput):
    full_name: str = Field(
        min_length=1,
        max_length=NAME_LENGTH,
        description="owner/repo; owners may nest. As the source host writes it, for instance "
        "group/subgroup/repo.",
        # For readers of the schema; the check itself words its refusal better than a pattern can.
        json_schema_extra={"pattern": FULL_NAME_PATTERN},
    )
    default_branch: str = Field(
        default="main",
        max_length=BRANCH_LENGTH,
        description="New branches are compared with its baseline.",
        json_schema_extra={"pattern": BRANCH_PATTERN},
    )


class Result(ActionResult):
    """``projectToken`` is told this once: store it as the CI secret named in ``secretName``."""

    repo: RepositoryResult
    project_token: str
    secret_name: Literal["UI_REVIEW_TOKEN"]


def run(caller: Caller, values: Input) -> Outcome[Result]:
    made = connect_repository(caller.organization_id, values.full_name, values.default_branch)
    result = Result(
        repo=RepositoryResult.of(made.repository),
        project_token=made.token,
        secret_name=SECRET_NAME,
    )
    return Outcome(result, (_change(made.repository),))


def _change(repository: Repository) -> Change:
    return Change(
        VERB,
        repository_target(repository),
        after={"fullName": repository.full_name, "defaultBranch": repository.default_branch},
    )


ACTION = Action(
    name="connect_repo",
    title="Connect a repository",
    permission=REPOS_MANAGE,
    description="Registers a repository. Returns its CI project token, this once: store it as "
    "the CI secret UI_REVIEW_TOKEN.",
    input=Input,
    result=Result,
    run=run,
    verbs=(VERB,),
    # A second call is refused, and the token of the first is not told again.
    hints=Hints(idempotent=False),
    secret_result=True,
)
