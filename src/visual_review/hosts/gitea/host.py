"""The port of source hosts over the REST interface that Gitea and Forgejo share."""

from collections.abc import Iterator

from visual_review.hosts.access import TokenAccess
from visual_review.hosts.errors import HostAccessError, HostMissingError
from visual_review.hosts.gitea.schemas import Comment, Commit, PullRequest, Repository, Status, User
from visual_review.hosts.http import HostClient, path
from visual_review.hosts.port import (
    HostComment,
    HostIdentity,
    HostPullRequest,
    HostRepository,
    HostStatus,
)
from visual_review.hosts.retries import RetryPolicy

# Larger ones are cut to this by Gitea's settings as they come.
PAGE = 50
# Beyond the heads, so many open pull requests are searched for a commit, the newest changed first.
MOST_SEARCHED = 30


def gitea_client(address: str, token: str, patience: RetryPolicy | None = None) -> HostClient:
    access = TokenAccess("Authorization", "token ", token)
    return HostClient(f"{address.rstrip('/')}/api/v1", access, patience=patience)


class GiteaHost:
    """Gitea redirects a former name for reads and writes alike."""

    def __init__(self, client: HostClient) -> None:
        self._client = client
        self._user: User | None = None

    def close(self) -> None:
        self._client.close()

    def identity(self) -> HostIdentity:
        return HostIdentity(self._me().login)

    def repositories(self) -> Iterator[HostRepository]:
        # By id: what changes while pages are read must not move over to another one.
        query: dict[str, str | int] = {"order_by": "id", "limit": PAGE}
        for page in self._client.pages("user/repos", list[Repository], query):
            for repository in page:
                yield repository.told()

    def repository(self, full_name: str) -> HostRepository:
        return self._client.get(_repo(full_name), Repository).told()

    def repository_by_id(self, host_id: str) -> HostRepository:
        return self._client.get(path("repositories", host_id), Repository).told()

    def pull_request(self, full_name: str, number: int) -> HostPullRequest:
        where = f"{_repo(full_name)}/{path('pulls', number)}"
        return self._client.get(where, PullRequest).told()

    def open_pull_requests(self, full_name: str) -> Iterator[HostPullRequest]:
        return self._open(full_name, "oldest")

    def pull_requests_of(self, full_name: str, commit: str) -> list[int]:
        """Gitea has no such question: heads are compared, then the commits of the newest ones."""
        pulls = list(self._open(full_name, "recentupdate"))
        heads = [pull.number for pull in pulls if pull.head_commit == commit]
        found = heads or [
            pull.number
            for pull in pulls[:MOST_SEARCHED]
            if self._has_commit(full_name, pull.number, commit)
        ]
        return sorted(found)

    def set_status(self, full_name: str, commit: str, status: HostStatus) -> None:
        where = f"{_repo(full_name)}/{path('statuses', commit)}"
        body = {
            "context": status.context,
            "state": status.state,
            "description": status.description,
            "target_url": status.url,
        }
        self._client.send("POST", where, body, Status, repeatable=True)

    def find_comment(self, full_name: str, number: int, mark: str) -> HostComment | None:
        ours = self._me().id
        for page in self._client.pages(_comments(full_name, number), list[Comment]):
            for comment in page:
                if comment.user and comment.user.id == ours and mark in comment.body:
                    return comment.told()
        return None

    def add_comment(self, full_name: str, number: int, body: str) -> HostComment:
        where = _comments(full_name, number)
        return self._client.send("POST", where, {"body": body}, Comment).told()

    def edit_comment(self, full_name: str, number: int, comment_id: str, body: str) -> None:  # noqa: ARG002 - Comments of Gitea have numbers of their own.
        where = f"{_repo(full_name)}/{path('issues', 'comments', comment_id)}"
        try:
            self._client.send("PATCH", where, {"body": body}, Comment)
        except HostAccessError as error:
            # Still known to the host: then it is the comment of an account connected before.
            self._client.get("user", User)
            raise HostMissingError(str(error)) from error

    def _me(self) -> User:
        if self._user is None:
            self._user = self._client.get("user", User)
        return self._user

    def _open(self, full_name: str, sort: str) -> Iterator[HostPullRequest]:
        query: dict[str, str | int] = {"state": "open", "sort": sort, "limit": PAGE}
        where = f"{_repo(full_name)}/pulls"
        for page in self._client.pages(where, list[PullRequest], query):
            for pull in page:
                yield pull.told()

    def _has_commit(self, full_name: str, number: int, commit: str) -> bool:
        where = f"{_repo(full_name)}/{path('pulls', number, 'commits')}"
        pages = self._client.pages(where, list[Commit], {"limit": PAGE})
        return any(one.sha == commit for page in pages for one in page)


def _repo(full_name: str) -> str:
    owner, _, name = full_name.partition("/")
    if "/" in name:
        raise HostMissingError(f"Names at Gitea are owner/name; '{full_name}' has more parts.")
    return path("repos", owner, name)


def _comments(full_name: str, number: int) -> str:
    return f"{_repo(full_name)}/{path('issues', number, 'comments')}"
