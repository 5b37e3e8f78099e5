"""list_builds: list the published builds of a repository, newest first."""

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_VIEW
from visual_review.actions.action import Action, Outcome
from visual_review.actions.build_results import BuildResult, build_fields
from visual_review.actions.identifiers import RepoId
from visual_review.actions.schema import MOST_ROWS, ActionInput, ActionResult, ListLimit
from visual_review.builds.read_models import newest_builds

DEFAULT_LIMIT = 25


class Input(ActionInput):
    repo_id: RepoId
    product_key: str | None = Field(
        default=None, description="Omitted: all products.", examples=["default"]
    )
    limit: ListLimit = Field(
        default=DEFAULT_LIMIT,
        description=f"How many, clamped to 1..{MOST_ROWS}. Omitted: {DEFAULT_LIMIT}.",
        examples=[DEFAULT_LIMIT],
    )


class Result(ActionResult):
    """Builds of a repository, newest first."""

    builds: list[BuildResult] = Field(
        description="Builds past their upload, newest first, at most `limit`."
    )
    more: bool = Field(
        description="True: there are more than `limit`, and these are the newest.",
        examples=[False],
    )


def run(caller: Caller, values: Input) -> Outcome[Result]:
    limit = values.limit
    # One more than returned, to show whether there are more.
    rows = newest_builds(caller.organization_id, values.repo_id, values.product_key, limit + 1)
    # Validated at once: validating one by one takes longer.
    fields = [build_fields(row, row.product__key) for row in rows[:limit]]
    return Outcome(Result.model_validate({"builds": fields, "more": len(rows) > limit}))


ACTION = Action(
    name="list_builds",
    title="List builds",
    permission=BUILDS_VIEW,
    description="Lists a repository's published builds, newest first; unreviewed ones wait for "
    "a decision. Their id is buildId elsewhere.",
    input=Input,
    result=Result,
    run=run,
)
