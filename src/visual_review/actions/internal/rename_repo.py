"""rename_repo: set the name and the default branch of a repository."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.repositories.audit_targets import repository_target
from visual_review.repositories.connect import rename_repository
from visual_review.repositories.models import Repository
from visual_review.repositories.queries import repository_of

VERB = "repository.changed"


class Input(ActionInput):
    repo_id: str
    full_name: str
    default_branch: str


class Result(ActionResult):
    repo_id: str
    full_name: str
    default_branch: str


def run(caller: Caller, values: Input) -> Outcome[Result]:
    repository = repository_of(caller.organization_id, values.repo_id, lock=True)
    before = _names(repository)
    rename_repository(repository, values.full_name, values.default_branch)
    after = _names(repository)
    result = Result(
        repo_id=repository.id,
        full_name=repository.full_name,
        default_branch=repository.default_branch,
    )
    if before == after:
        return Outcome(result)
    return Outcome(result, (Change(VERB, repository_target(repository), before, after),))


def _names(repository: Repository) -> dict[str, str]:
    return {"fullName": repository.full_name, "defaultBranch": repository.default_branch}


ACTION = Action(
    name="rename_repo",
    title="Change a repository's name and default branch",
    permission=REPOS_MANAGE,
    description="Sets the name of a repository, unless a Git provider decides it, and the branch "
    "that builds are compared with where no other applies.",
    input=Input,
    result=Result,
    run=run,
    verbs=(VERB,),
)
