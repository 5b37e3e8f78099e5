"""The port of source hosts over GitLab's REST interface, version 4, of gitlab.com or one's own."""

from collections.abc import Iterator
from typing import Final

from visual_review.hosts.access import TokenAccess
from visual_review.hosts.errors import HostAccessError, HostDeclinedError, HostMissingError
from visual_review.hosts.gitlab.schemas import (
    STATES,
    MergeRequest,
    Note,
    Project,
    Status,
    User,
    shortened,
)
from visual_review.hosts.http import HostClient, path
from visual_review.hosts.port import (
    HostComment,
    HostIdentity,
    HostPullRequest,
    HostRepository,
    HostStatus,
)
from visual_review.hosts.retries import RetryPolicy

PAGE = 100
BAD_REQUEST = 400
# GitLab declines a state anew, and then keeps the former words. Running is pending too, and what
# was canceled may begin again.
WAYS: Final = {
    "pending": (("pending",), ("running",), ("canceled", "pending")),
    "success": (("success",),),
    "failed": (("failed",),),
}


def gitlab_client(address: str, token: str, patience: RetryPolicy | None = None) -> HostClient:
    # Personal, project and group tokens and those of OAuth are all taken this way.
    access = TokenAccess("Authorization", "Bearer ", token)
    return HostClient(f"{address.rstrip('/')}/api/v4", access, patience=patience)


class GitLabHost:
    """Writes go to a project's number: GitLab redirects a former name for reads alone."""

    def __init__(self, client: HostClient) -> None:
        self._client = client
        self._user: User | None = None
        self._projects: dict[str, Project] = {}
        self._names: dict[int, str] = {}

    def close(self) -> None:
        self._client.close()

    def identity(self) -> HostIdentity:
        return HostIdentity(self._me().username)

    def repositories(self) -> Iterator[HostRepository]:
        # By keyset: GitLab ends counted pages at 50,000 rows.
        query: dict[str, str | int] = {
            "membership": "true",
            "pagination": "keyset",
            "order_by": "id",
            "sort": "asc",
            "per_page": PAGE,
        }
        for page in self._client.pages("projects", list[Project], query):
            for project in page:
                yield project.told()

    def repository(self, full_name: str) -> HostRepository:
        return self._client.get(path("projects", full_name), Project).told()

    def repository_by_id(self, host_id: str) -> HostRepository:
        return self._client.get(path("projects", host_id), Project).told()

    def pull_request(self, full_name: str, number: int) -> HostPullRequest:
        project = self._project(full_name)
        where = path("projects", project.id, "merge_requests", number)
        return self._told(self._client.get(where, MergeRequest))

    def open_pull_requests(self, full_name: str) -> Iterator[HostPullRequest]:
        project = self._project(full_name)
        query: dict[str, str | int] = {
            "state": "opened",
            "order_by": "created_at",
            "sort": "asc",
            "per_page": PAGE,
        }
        where = path("projects", project.id, "merge_requests")
        for page in self._client.pages(where, list[MergeRequest], query):
            for request in page:
                yield self._told(request)

    def pull_requests_of(self, full_name: str, commit: str) -> list[int]:
        return [request.iid for request in self._open_with(self._project(full_name).id, commit)]

    def set_status(self, full_name: str, commit: str, status: HostStatus) -> None:
        project = self._project(full_name)
        try:
            self._post_status(project.id, commit, status)
        except HostMissingError:
            # A commit of a fork lies on no branch here; GitLab takes its status in the fork only.
            fork = self._fork_with(project.id, commit)
            if fork is None:
                raise
            self._post_status_in_fork(fork, commit, status)

    def find_comment(self, full_name: str, number: int, mark: str) -> HostComment | None:
        ours = self._me().id
        query: dict[str, str | int] = {"sort": "asc", "order_by": "created_at", "per_page": PAGE}
        for page in self._client.pages(self._notes(full_name, number), list[Note], query):
            for note in page:
                if note.author.id == ours and mark in note.body:
                    return note.told()
        return None

    def add_comment(self, full_name: str, number: int, body: str) -> HostComment:
        where = self._notes(full_name, number)
        return self._client.send("POST", where, {"body": body}, Note).told()

    def edit_comment(self, full_name: str, number: int, comment_id: str, body: str) -> None:
        where = f"{self._notes(full_name, number)}/{path(comment_id)}"
        try:
            self._client.send("PUT", where, {"body": body}, Note)
        except HostAccessError as error:
            # Still known to the host: then it is the comment of an account connected before.
            self._client.get("user", User)
            raise HostMissingError(str(error)) from error

    def _me(self) -> User:
        if self._user is None:
            self._user = self._client.get("user", User)
        return self._user

    def _project(self, full_name: str) -> Project:
        """Asked for once: its number stays, whatever it is called."""
        if full_name not in self._projects:
            project = self._client.get(path("projects", full_name), Project)
            self._projects[full_name] = project
            self._names[project.id] = project.path_with_namespace
        return self._projects[full_name]

    def _told(self, request: MergeRequest) -> HostPullRequest:
        source = request.source_project_id
        return request.told("" if source is None else self._name_of(source))

    def _name_of(self, project_id: int) -> str:
        """Empty for a fork that is gone, or that we may not see."""
        if project_id not in self._names:
            try:
                fork = self._client.get(path("projects", project_id), Project)
                self._names[project_id] = fork.path_with_namespace
            except (HostMissingError, HostAccessError):
                self._names[project_id] = ""
        return self._names[project_id]

    def _notes(self, full_name: str, number: int) -> str:
        return path("projects", self._project(full_name).id, "merge_requests", number, "notes")

    def _open_with(self, project_id: int, commit: str) -> list[MergeRequest]:
        where = path("projects", project_id, "repository", "commits", commit, "merge_requests")
        try:
            pages = list(self._client.pages(where, list[MergeRequest], {"per_page": PAGE}))
        except HostMissingError:
            # GitLab does not know the commit, not yet or not any more.
            return []
        found = [request for page in pages for request in page if request.state == "opened"]
        return sorted(found, key=lambda request: request.iid)

    def _fork_with(self, project_id: int, commit: str) -> MergeRequest | None:
        requests = self._open_with(project_id, commit)
        return next(
            (one for one in requests if one.source_project_id not in {None, project_id}), None
        )

    def _post_status_in_fork(self, fork: MergeRequest, commit: str, status: HostStatus) -> None:
        try:
            self._post_status(fork.source_project_id or 0, commit, status, fork.source_branch)
        except (HostMissingError, HostAccessError) as error:
            raise HostMissingError(
                f"Merge request !{fork.iid} comes from a fork, where this account may not set a "
                "status. Give the account the role of a developer in the fork, or run the "
                "pipelines of forks in this project."
            ) from error

    def _post_status(
        self, project_id: int, commit: str, status: HostStatus, branch: str = ""
    ) -> None:
        where = path("projects", project_id, "statuses", commit)
        body = {
            "name": status.context,
            "description": shortened(status.description),
            "target_url": status.url,
            **({"ref": branch} if branch else {}),
        }
        for states in WAYS[STATES[status.state]]:
            if all(self._takes(where, {**body, "state": state}) for state in states):
                return

    def _takes(self, where: str, body: dict[str, str]) -> bool:
        """Whether GitLab takes the status; False where its state cannot follow the former one."""
        try:
            self._client.send("POST", where, body, Status, repeatable=True)
        except HostDeclinedError as error:
            if not _has_it_already(error):
                raise
            return False
        return True


def _has_it_already(error: HostDeclinedError) -> bool:
    return error.status == BAD_REQUEST and "Cannot transition status" in str(error)
