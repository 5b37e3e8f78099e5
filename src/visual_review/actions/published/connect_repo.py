"""connect_repo: register a repository."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, AfterNetwork, Outcome
from visual_review.actions.host_access import open_account_host
from visual_review.actions.identifiers import ProjectToken
from visual_review.actions.results import RepositoryResult
from visual_review.actions.schema import ActionInput, ActionResult, checked
from visual_review.audit.log import Change
from visual_review.hosts.errors import HostMissingError
from visual_review.hosts.port import HostRepository
from visual_review.kernel.errors import ConflictError
from visual_review.repositories.connect import HostLocation, connect_repository
from visual_review.repositories.host_accounts import account_of, lock_unchanged_account
from visual_review.repositories.models import HostAccount, Repository
from visual_review.repositories.names import (
    BRANCH_LENGTH,
    BRANCH_PATTERN,
    FULL_NAME_PATTERN,
    NAME_LENGTH,
    check_branch,
    check_full_name,
)
from visual_review.repositories.queries import repository_target
from visual_review.repositories.tokens import SECRET_NAME

VERB = "repository.connected"


class Input(ActionInput):
    full_name: Annotated[str, checked(check_full_name)] = Field(
        min_length=1,
        max_length=NAME_LENGTH,
        description="owner/repo as at the Git provider; may nest, as group/sub/repo.",
        examples=["acme/web"],
        # For readers of the schema; the check itself gives a better message than a pattern can.
        json_schema_extra={"pattern": FULL_NAME_PATTERN},
    )
    default_branch: Annotated[str, checked(check_branch)] = Field(
        default="main",
        max_length=BRANCH_LENGTH,
        description="Where new branches get their baseline. Omitted: main, or the Git provider's.",
        examples=["main"],
        json_schema_extra={"pattern": BRANCH_PATTERN},
    )


class Result(ActionResult):
    """The connected repository and its project token."""

    repo: RepositoryResult = Field(description="The repository, with the id of later calls.")
    project_token: ProjectToken
    secret_name: Literal["UI_REVIEW_TOKEN"] = Field(
        description="The name of the CI secret to store the token as."
    )


@dataclass(frozen=True)
class AccountRepository:
    """The repository as described by the connected account's host."""

    account: HostAccount
    repository: HostRepository


def call_host(caller: Caller, values: Input) -> AccountRepository | None:
    """Return the repository from the host; None without a connected account."""
    account = account_of(caller.organization_id)
    if account is None:
        return None
    with open_account_host(account) as host:
        try:
            return AccountRepository(account, host.get_repository(values.full_name))
        except HostMissingError as error:
            raise ConflictError(_unreachable(account, values.full_name)) from error


def _unreachable(account: HostAccount, full_name: str) -> str:
    return (
        f"The connected account ({account.name} at {account.address}) cannot reach "
        f"'{full_name}'. Check the name, or give the account access to it."
    )


def run(caller: Caller, values: Input, found: AccountRepository | None) -> Outcome[Result]:
    connected = connect_repository(
        caller.organization_id,
        values.full_name if found is None else found.repository.full_name,
        _default_branch(values, found),
        None
        if found is None
        else HostLocation(lock_unchanged_account(found.account), found.repository.id),
        created_by_id=caller.id,
    )
    result = Result(
        repo=RepositoryResult.of(connected.repository),
        project_token=connected.token,
        secret_name=SECRET_NAME,
    )
    return Outcome(result, (_change(connected.repository),))


def _default_branch(values: Input, found: AccountRepository | None) -> str:
    """Return the given one, else the host's; a repository without commits has none there."""
    given = "default_branch" in values.model_fields_set
    if given or found is None or not found.repository.default_branch:
        return values.default_branch
    return found.repository.default_branch


def _change(repository: Repository) -> Change:
    after = {"fullName": repository.full_name, "defaultBranch": repository.default_branch}
    if repository.host_account is not None:
        after["sourceHost"] = repository.host_account.address
    return Change(VERB, repository_target(repository), after=after)


ACTION = Action(
    name="connect_repo",
    title="Connect a repository",
    permission=REPOS_MANAGE,
    description="Registers a repository. Returns its CI project token, this once: store it as "
    "the CI secret UI_REVIEW_TOKEN.",
    input=Input,
    result=Result,
    run=AfterNetwork(call_host, run),
    verbs=(VERB,),
    # A second call is rejected and changes nothing; only the token is not returned again.
    secret_result=True,
)
