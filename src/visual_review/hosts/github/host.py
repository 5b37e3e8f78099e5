"""The adapter for GitHub's REST API.

https://docs.github.com/rest, version 2022-11-28, also supported by Enterprise Server.
"""

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from visual_review.hosts.errors import HostAccessError, HostDeclinedError, HostMissingError
from visual_review.hosts.github.access import Installation
from visual_review.hosts.github.schemas import (
    Comment,
    IgnoredObject,
    InstallationRepositories,
    Person,
    PullRequest,
    Reference,
    Repository,
    Team,
    User,
)
from visual_review.hosts.http import CONNECTIONS, HostClient, quote_path
from visual_review.hosts.port import (
    PEOPLE_PER_PAGE,
    HostComment,
    HostGroup,
    HostIdentity,
    HostPerson,
    HostPullRequest,
    HostRepository,
    HostStatus,
)

HEADERS: Final = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
MAX_DESCRIPTION_LENGTH: Final = 140  # characters
_PAGE_QUERY: Final[Mapping[str, str | int]] = {"per_page": 100}
_UNPROCESSABLE: Final = 422


class GitHubHost:
    """``installation`` is the one ``client`` authenticates as; None with a personal token."""

    def __init__(self, client: HostClient, installation: Installation | None = None) -> None:
        self._client = client
        self._installation = installation
        self._identity: HostIdentity | None = None

    def get_identity(self) -> HostIdentity:
        if self._identity is None:
            self._identity = self._fetch_identity()
        return self._identity

    def list_repositories(self) -> Iterator[HostRepository]:
        if self._installation is None:
            for found in self._client.pages("user/repos", list[Repository], _PAGE_QUERY):
                yield from (one.to_host_repository() for one in found)
            return
        path = "installation/repositories"
        for page in self._client.pages(path, InstallationRepositories, _PAGE_QUERY):
            yield from (one.to_host_repository() for one in page.repositories)

    def get_repository(self, full_name: str) -> HostRepository:
        return self._client.get(_repo_path(full_name), Repository).to_host_repository()

    def get_repository_by_id(self, host_id: str) -> HostRepository:
        # The target of GitHub's redirects for renamed repositories; no other call takes an id.
        path = quote_path("repositories", host_id)
        return self._client.get(path, Repository).to_host_repository()

    def has_branch(self, full_name: str, branch: str) -> bool:
        # The call for a branch would lead from the former name of a renamed one to its new name.
        path = _repo_path(full_name, "git", "ref", f"heads/{branch}")
        try:
            return self._client.get(path, Reference).ref == f"refs/heads/{branch}"
        except HostMissingError:
            return False

    def get_pull_request(self, full_name: str, number: int) -> HostPullRequest:
        path = _repo_path(full_name, "pulls", number)
        return self._client.get(path, PullRequest).to_host_pull_request()

    def list_open_pull_requests(self, full_name: str) -> Iterator[HostPullRequest]:
        query = {**_PAGE_QUERY, "state": "open"}
        for found in self._client.pages(_repo_path(full_name, "pulls"), list[PullRequest], query):
            yield from (one.to_host_pull_request() for one in found)

    def find_pull_requests(self, full_name: str, commit: str) -> list[int]:
        path = _repo_path(full_name, "commits", commit, "pulls")
        try:
            found = [
                one
                for page in self._client.pages(path, list[PullRequest], _PAGE_QUERY)
                for one in page
            ]
        except HostDeclinedError as error:
            if _is_unknown_commit(error):
                return []
            raise
        return sorted(one.number for one in found if one.to_host_pull_request().state == "open")

    def set_status(self, full_name: str, commit: str, status: HostStatus) -> None:
        body = {
            "context": status.context,
            "state": status.state,
            "description": _truncate(status.description),
            "target_url": status.url or None,
        }
        path = _repo_path(full_name, "statuses", commit)
        try:
            # A retry may create the status twice; GitHub shows the newer, equal status.
            self._client.send("POST", path, body, IgnoredObject, retryable=True)
        except HostDeclinedError as error:
            if _is_unknown_commit(error):
                raise HostMissingError(f"There is no commit {commit} in {full_name}.") from error
            raise

    def find_comment(self, full_name: str, number: int, mark: str) -> HostComment | None:
        ours = self.get_identity().name.lower()
        for comments in self._client.pages(
            _comments_path(full_name, number), list[Comment], _PAGE_QUERY
        ):
            for comment in comments:
                by_us = comment.user is not None and comment.user.login.lower() == ours
                if by_us and mark in (comment.body or ""):
                    return comment.to_host_comment()
        return None

    def add_comment(self, full_name: str, number: int, body: str) -> HostComment:
        path = _comments_path(full_name, number)
        return self._client.send("POST", path, {"body": body}, Comment).to_host_comment()

    def edit_comment(self, full_name: str, number: int, comment_id: str, body: str) -> None:  # noqa: ARG002 - GitHub numbers comments across all pull requests.
        path = _repo_path(full_name, "issues", "comments", comment_id)
        try:
            self._client.send("PATCH", path, {"body": body}, IgnoredObject)
        except HostAccessError as error:
            # If the credentials still work, a previously connected account wrote the comment.
            self._fetch_identity()
            raise HostMissingError(str(error)) from error

    def list_groups(self) -> Iterator[HostGroup]:
        for organization in self._organizations():
            path = quote_path("orgs", organization)
            yield HostGroup(path, organization)
            for teams in self._client.pages(f"{path}/teams", list[Team], _PAGE_QUERY):
                for team in teams:
                    yield HostGroup(
                        f"{path}/{quote_path('teams', team.slug)}", f"{organization}/{team.name}"
                    )

    def list_members(self, group_id: str, page: int) -> tuple[list[HostPerson], bool]:
        query = {"per_page": PEOPLE_PER_PAGE, "page": page}
        members, more = self._client.page(f"{group_id}/members", list[User], query)
        # The list has only logins and avatars.
        with ThreadPoolExecutor(CONNECTIONS) as pool:
            return list(pool.map(self._get_person, [member.login for member in members])), more

    def close(self) -> None:
        self._client.close()
        if self._installation is not None:
            self._installation.close()

    def _organizations(self) -> list[str]:
        if self._installation is None:
            pages = self._client.pages("user/orgs", list[User], _PAGE_QUERY)
            return [organization.login for page in pages for organization in page]
        organization = self._installation.organization()
        return [organization] if organization else []

    def _get_person(self, login: str) -> HostPerson:
        return self._client.get(quote_path("users", login), Person).to_host_person()

    def _fetch_identity(self) -> HostIdentity:
        if self._installation is not None:
            return HostIdentity(self._installation.login())
        return HostIdentity(self._client.get("user", User).login)


def _repo_path(full_name: str, *rest: str | int) -> str:
    owner, _, name = full_name.partition("/")
    return quote_path("repos", owner, name, *rest)


def _comments_path(full_name: str, number: int) -> str:
    return _repo_path(full_name, "issues", number, "comments")


def _truncate(text: str) -> str:
    if len(text) <= MAX_DESCRIPTION_LENGTH:
        return text
    return f"{text[: MAX_DESCRIPTION_LENGTH - 1]}…"


def _is_unknown_commit(error: HostDeclinedError) -> bool:
    return error.status == _UNPROCESSABLE and "no commit found" in str(error).lower()
