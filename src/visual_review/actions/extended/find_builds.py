"""find_builds: find builds by pull request, branch or commit."""

from typing import Final, Self

from django.db.models import QuerySet
from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_VIEW
from visual_review.actions.action import Action, Outcome
from visual_review.actions.build_results import BuildResult, build_fields
from visual_review.actions.identifiers import RepoId
from visual_review.actions.schema import ActionInput, ActionResult, ListLimit, PositiveInteger
from visual_review.builds.build_query import BuildQuery, filter_builds, pull_requests_of
from visual_review.builds.models import Build, PullRequest
from visual_review.builds.queries import builds_of
from visual_review.builds.states import PUBLISHED
from visual_review.kernel.errors import InvalidInputError
from visual_review.repositories.queries import repository_of

DEFAULT_LIMIT: Final = 5
MOST_BUILDS: Final = 50
BRANCH_LENGTH: Final = 300
# The limit of the number columns.
LARGEST_NUMBER: Final = 2**31 - 1
CURSOR_PREFIX: Final = "build_"


class Input(ActionInput):
    repo_id: RepoId | None = Field(
        default=None,
        description="Id of the repository. Omitted: all repositories.",
        examples=["repo_01jq3v8e6m5x0c2n9d4t7r1kza"],
    )
    pull_request: PositiveInteger | None = Field(
        default=None, description="Number of the pull request.", examples=[42]
    )
    branch: str | None = Field(
        default=None,
        min_length=1,
        max_length=BRANCH_LENGTH,
        description="Name of the built branch.",
        examples=["feature/login"],
    )
    commit: str | None = Field(
        default=None,
        pattern="^[0-9A-Fa-f]{7,64}$",
        description="The built commit, or 7 or more of its first digits.",
        examples=["4f9c1d7be0a2"],
    )
    limit: ListLimit = Field(
        default=DEFAULT_LIMIT,
        description=f"How many, clamped to 1..{MOST_BUILDS}. Omitted: {DEFAULT_LIMIT}.",
        examples=[DEFAULT_LIMIT],
    )
    cursor: str | None = Field(
        default=None,
        description="The nextCursor of the call before; without one, the newest builds.",
        examples=["build_01jq3v8e6m5x0c2n9d4t7r1kzb"],
    )


class FoundBuildResult(BuildResult):
    """A build with its repository and its commit's message."""

    repo_id: str = Field(
        description="Id of the repository.", examples=["repo_01jq3v8e6m5x0c2n9d4t7r1kza"]
    )
    repository: str = Field(
        description="Name of the repository, with the owner's name.", examples=["acme/web"]
    )
    message: str = Field(
        description="Message of the commit; empty where CI sent none.",
        examples=["Make the login button red"],
    )

    @classmethod
    def of_build(cls, build: Build) -> Self:
        fields = build_fields(build, build.product.key)
        return cls.model_validate(
            {
                **fields,
                "repo_id": build.repository_id,
                "repository": build.repository.full_name,
                "message": build.message,
            }
        )


class PullRequestResult(ActionResult):
    """What the Git provider said about a pull request; null where it was not asked or silent."""

    repo_id: str = Field(
        description="Id of the repository.", examples=["repo_01jq3v8e6m5x0c2n9d4t7r1kza"]
    )
    number: int = Field(description="Number at the Git provider.", examples=[42])
    title: str | None = Field(
        description="Title of the pull request; null while unknown, for example without a "
        "provider.",
        examples=["Make the login button red"],
    )
    description: str | None = Field(
        description="Description of the pull request, at most the first 4,000 characters, with "
        "'…' at the end; null while unknown.",
        examples=["The new brand color, for the login page only."],
    )
    state: str | None = Field(
        description="'open', 'closed' or 'merged'; null while unknown.", examples=["open"]
    )

    @classmethod
    def of(cls, row: PullRequest) -> Self:
        # Builds alone report no more than a number.
        is_known = row.asked_at is not None or row.host_updated_at is not None
        return cls(
            repo_id=row.repository_id,
            number=row.number,
            title=row.title if is_known else None,
            description=row.description if is_known else None,
            state=row.state if is_known else None,
        )


class Result(ActionResult):
    """The builds that were found, newest first, and their pull requests."""

    builds: list[FoundBuildResult] = Field(
        description="Builds past their upload, newest first, at most `limit`."
    )
    pull_requests: list[PullRequestResult] = Field(
        description="The pull requests of these builds, each once."
    )
    next_cursor: str | None = Field(
        description="For a call with older builds; null on the last page.", examples=[None]
    )


def run(caller: Caller, values: Input) -> Outcome[Result]:
    if values.repo_id is not None:
        # An empty list for an unknown repository would look like a repository without builds.
        repository_of(caller.organization_id, values.repo_id)
    limit = min(values.limit, MOST_BUILDS)
    is_possible = (values.pull_request or 0) <= LARGEST_NUMBER
    # One more than returned, to show whether there are more.
    rows = list(_find(caller, values)[: limit + 1]) if is_possible else []
    builds = rows[:limit]
    return Outcome(
        Result(
            builds=[FoundBuildResult.of_build(build) for build in builds],
            pull_requests=[PullRequestResult.of(row) for row in pull_requests_of(builds)],
            next_cursor=builds[-1].id if len(rows) > limit else None,
        )
    )


def _find(caller: Caller, values: Input) -> QuerySet[Build]:
    """Return the builds past their upload, newest first."""
    rows = builds_of(caller.organization_id).filter(status__in=PUBLISHED)
    if values.repo_id is not None:
        rows = rows.filter(repository=values.repo_id)
    if before := _read_cursor(values.cursor):
        # Ids grow with time.
        rows = rows.filter(pk__lt=before)
    wanted = {"branch": values.branch, "pr": values.pull_request, "commit": values.commit}
    query = BuildQuery({name: str(value) for name, value in wanted.items() if value is not None})
    found = filter_builds(rows, query).select_related("repository", "product")
    return found.order_by("-pk")


def _read_cursor(cursor: str | None) -> str | None:
    if cursor is not None and not cursor.startswith(CURSOR_PREFIX):
        raise InvalidInputError(
            "This is not a cursor of find_builds. Pass the nextCursor of the call before, or none."
        )
    return cursor


ACTION = Action(
    name="find_builds",
    title="Find builds",
    permission=BUILDS_VIEW,
    description="Finds published builds by pull request, branch or commit, newest first, with the "
    "pull request's title and description. Their id is buildId elsewhere.",
    input=Input,
    result=Result,
    run=run,
    optional_in_example=("pull_request",),
)
