"""The port of source hosts over GitHub's REST interface.

https://docs.github.com/rest, version 2022-11-28, which Enterprise servers know as well.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from visual_review.hosts.errors import HostAccessError, HostDeclinedError, HostMissingError
from visual_review.hosts.github.access import Installation
from visual_review.hosts.github.schemas import (
    Comment,
    Ignored,
    InstallationRepositories,
    PullRequest,
    Repository,
    User,
)
from visual_review.hosts.http import HostClient, path
from visual_review.hosts.port import (
    HostComment,
    HostIdentity,
    HostPullRequest,
    HostRepository,
    HostStatus,
)

HEADERS: Final = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
LONGEST_DESCRIPTION: Final = 140  # characters
_PAGE: Final[Mapping[str, str | int]] = {"per_page": 100}
_UNPROCESSABLE: Final = 422


class GitHubHost:
    """``installation`` is the app's that ``client`` speaks for; None with a personal token."""

    def __init__(self, client: HostClient, installation: Installation | None = None) -> None:
        self._client = client
        self._installation = installation
        self._identity: HostIdentity | None = None

    def identity(self) -> HostIdentity:
        if self._identity is None:
            self._identity = self._ask_identity()
        return self._identity

    def repositories(self) -> Iterator[HostRepository]:
        if self._installation is None:
            for found in self._client.pages("user/repos", list[Repository], _PAGE):
                yield from (one.told() for one in found)
            return
        place = "installation/repositories"
        for page in self._client.pages(place, InstallationRepositories, _PAGE):
            yield from (one.told() for one in page.repositories)

    def repository(self, full_name: str) -> HostRepository:
        return self._client.get(_repo(full_name), Repository).told()

    def repository_by_id(self, host_id: str) -> HostRepository:
        # Where GitHub's redirects of renamed repositories lead; no other call knows ids.
        return self._client.get(path("repositories", host_id), Repository).told()

    def pull_request(self, full_name: str, number: int) -> HostPullRequest:
        return self._client.get(_repo(full_name, "pulls", number), PullRequest).told()

    def open_pull_requests(self, full_name: str) -> Iterator[HostPullRequest]:
        query = {**_PAGE, "state": "open"}
        for found in self._client.pages(_repo(full_name, "pulls"), list[PullRequest], query):
            yield from (one.told() for one in found)

    def pull_requests_of(self, full_name: str, commit: str) -> list[int]:
        place = _repo(full_name, "commits", commit, "pulls")
        try:
            found = [
                one for page in self._client.pages(place, list[PullRequest], _PAGE) for one in page
            ]
        except HostDeclinedError as error:
            if _unknown_commit(error):
                return []
            raise
        return sorted(one.number for one in found if one.told().state == "open")

    def set_status(self, full_name: str, commit: str, status: HostStatus) -> None:
        body = {
            "context": status.context,
            "state": status.state,
            "description": _shortened(status.description),
            "target_url": status.url or None,
        }
        place = _repo(full_name, "statuses", commit)
        try:
            # GitHub keeps both of two, and shows the newer: they say the same.
            self._client.send("POST", place, body, Ignored, repeatable=True)
        except HostDeclinedError as error:
            if _unknown_commit(error):
                raise HostMissingError(f"There is no commit {commit} in {full_name}.") from error
            raise

    def find_comment(self, full_name: str, number: int, mark: str) -> HostComment | None:
        ours = self.identity().name.lower()
        for comments in self._client.pages(_comments(full_name, number), list[Comment], _PAGE):
            for comment in comments:
                by_us = comment.user is not None and comment.user.login.lower() == ours
                if by_us and mark in (comment.body or ""):
                    return comment.told()
        return None

    def add_comment(self, full_name: str, number: int, body: str) -> HostComment:
        return self._client.send(
            "POST", _comments(full_name, number), {"body": body}, Comment
        ).told()

    def edit_comment(self, full_name: str, number: int, comment_id: str, body: str) -> None:  # noqa: ARG002 - GitHub numbers comments over all pull requests.
        place = _repo(full_name, "issues", "comments", comment_id)
        try:
            self._client.send("PATCH", place, {"body": body}, Ignored)
        except HostAccessError as error:
            # Still known to the host: then it is the comment of an account connected before.
            self._ask_identity()
            raise HostMissingError(str(error)) from error

    def close(self) -> None:
        self._client.close()
        if self._installation is not None:
            self._installation.close()

    def _ask_identity(self) -> HostIdentity:
        by_app = self._installation
        return HostIdentity(by_app.login() if by_app else self._client.get("user", User).login)


def _repo(full_name: str, *rest: str | int) -> str:
    owner, _, name = full_name.partition("/")
    return path("repos", owner, name, *rest)


def _comments(full_name: str, number: int) -> str:
    return _repo(full_name, "issues", number, "comments")


def _shortened(text: str) -> str:
    if len(text) <= LONGEST_DESCRIPTION:
        return text
    return f"{text[: LONGEST_DESCRIPTION - 1]}…"


def _unknown_commit(error: HostDeclinedError) -> bool:
    return error.status == _UNPROCESSABLE and "no commit found" in str(error).lower()
