"""list_repos: list the organization's connected repositories."""

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_VIEW
from visual_review.actions.action import Action, Outcome
from visual_review.actions.results import RepositoryResult
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.repositories.queries import repository_rows


class Input(ActionInput):
    pass


class Result(ActionResult):
    """The connected repositories."""

    repos: list[RepositoryResult] = Field(
        description="All connected repositories of the organization, by name."
    )
    more: bool = Field(
        description="True: there are more than these; false, as all are returned.",
        examples=[False],
    )


def run(caller: Caller, _values: Input) -> Outcome[Result]:
    rows = repository_rows(caller.organization_id)
    return Outcome(Result(repos=[RepositoryResult.of(row) for row in rows], more=False))


ACTION = Action(
    name="list_repos",
    title="List repositories",
    permission=REPOS_VIEW,
    description="Lists the organization's connected repositories. Their id is repoId elsewhere.",
    input=Input,
    result=Result,
    run=run,
)
