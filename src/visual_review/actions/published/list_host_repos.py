"""list_host_repos: list repositories accessible to the connected account at its Git provider."""

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, AfterNetwork, Outcome
from visual_review.actions.host_access import open_account_host
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.hosts.port import HostRepository
from visual_review.repositories.host_accounts import connected_account
from visual_review.repositories.names import fold_name
from visual_review.repositories.queries import repository_rows


class Input(ActionInput):
    pass


class HostRepositoryResult(ActionResult):
    """A repository at the Git provider that the connected account can access."""

    full_name: str = Field(
        description="Name of the repository with the owner's name, as for connect_repo.",
        examples=["acme/web"],
    )
    default_branch: str = Field(
        description="Default branch; empty for a repository without commits.",
        examples=["main"],
    )
    private: bool = Field(
        description="True: visible only to its members at the Git provider.", examples=[True]
    )
    archived: bool = Field(
        description="True: takes no more commits at the Git provider.", examples=[False]
    )
    repo_id: str | None = Field(
        description="Id of the repository in this service; null unless connected.",
        examples=["repo_01jq3v8e6m5x0c2n9d4t7r1kza"],
    )


class Result(ActionResult):
    """Repositories at the Git provider."""

    repos: list[HostRepositoryResult] = Field(
        description="All repositories that the account can access, by name."
    )
    more: bool = Field(
        description="True: there are more than these; false, as all are returned.",
        examples=[False],
    )


def call_host(caller: Caller, _values: Input) -> list[HostRepository]:
    with open_account_host(connected_account(caller.organization_id)) as host:
        return sorted(host.list_repositories(), key=lambda one: one.full_name.lower())


def run(caller: Caller, _values: Input, found: list[HostRepository]) -> Outcome[Result]:
    known: dict[bytes, str] = {}
    for row in repository_rows(caller.organization_id):
        known[fold_name(row.full_name)] = row.id
        # A renamed repository keeps its id at the host.
        if row.host_id:
            known[_by_id(row.host_id)] = row.id
    repos = [
        HostRepositoryResult(
            full_name=one.full_name,
            default_branch=one.default_branch,
            private=one.private,
            archived=one.archived,
            repo_id=known.get(_by_id(one.id), known.get(fold_name(one.full_name))),
        )
        for one in found
    ]
    return Outcome(Result(repos=repos, more=False))


def _by_id(host_id: str) -> bytes:
    # No name contains a space, so ids and names can share one dictionary.
    return f"id {host_id}".encode()


ACTION = Action(
    name="list_host_repos",
    title="List Git provider repositories",
    permission=REPOS_MANAGE,
    description="Lists the repositories that the connected source-hosting account can access; "
    "those connected here have a repoId.",
    input=Input,
    result=Result,
    run=AfterNetwork(call_host, run),
)
