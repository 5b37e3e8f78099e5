"""list_host_repos: list what the connected account can access at its Git provider."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, AfterNetwork, Outcome
from visual_review.actions.host_access import open_account_host
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.hosts.port import HostRepository
from visual_review.repositories.host_accounts import connected_account
from visual_review.repositories.queries import repository_rows


class Input(ActionInput):
    pass


class HostRepositoryResult(ActionResult):
    """``repoId`` is its id in this service; null unless it is connected."""

    full_name: str
    default_branch: str
    private: bool
    archived: bool
    repo_id: str | None


class Result(ActionResult):
    repos: list[HostRepositoryResult]


def call_host(caller: Caller, _values: Input) -> list[HostRepository]:
    with open_account_host(connected_account(caller.organization_id)) as host:
        return sorted(host.list_repositories(), key=lambda one: one.full_name.lower())


def run(caller: Caller, _values: Input, found: list[HostRepository]) -> Outcome[Result]:
    known: dict[str, str] = {}
    for row in repository_rows(caller.organization_id):
        known[row.full_name.lower()] = row.id
        # A repository keeps its id at the host when it is renamed there.
        if row.host_id:
            known[_by_id(row.host_id)] = row.id
    repos = [
        HostRepositoryResult(
            full_name=one.full_name,
            default_branch=one.default_branch,
            private=one.private,
            archived=one.archived,
            repo_id=known.get(_by_id(one.id), known.get(one.full_name.lower())),
        )
        for one in found
    ]
    return Outcome(Result(repos=repos))


def _by_id(host_id: str) -> str:
    # No name contains a space, so ids and names can share one dictionary.
    return f"id {host_id}"


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
