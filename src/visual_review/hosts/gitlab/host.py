"""The adapter for GitLab's REST API, version 4, of gitlab.com or a self-managed instance."""

from collections.abc import Iterator, Mapping
from typing import Final

from visual_review.hosts.access import TokenAccess
from visual_review.hosts.errors import HostAccessError, HostDeclinedError, HostMissingError
from visual_review.hosts.gitlab.schemas import (
    STATES,
    Branch,
    Group,
    Member,
    MergeRequest,
    Note,
    Project,
    Status,
    User,
    truncate_description,
)
from visual_review.hosts.http import HostClient, quote_path
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
from visual_review.hosts.responses import RetryPolicy

PAGE_SIZE = 100
BAD_REQUEST = 400
# GitLab rejects the current state as a new state, and keeps the old description. So each state
# has sequences of states leading there: running counts as pending, and a canceled state may
# start again.
TRANSITIONS: Final = {
    "pending": (("pending",), ("running",), ("canceled", "pending")),
    "success": (("success",),),
    "failed": (("failed",),),
}


def gitlab_client(url: str, token: str, retry_policy: RetryPolicy | None = None) -> HostClient:
    # GitLab accepts personal, project, group and OAuth tokens in the same header.
    access = TokenAccess("Authorization", "Bearer ", token)
    return HostClient(f"{url.rstrip('/')}/api/v4", access, retry_policy=retry_policy)


class GitLabHost:
    """Writes use a project's id: GitLab redirects an old name only for reads."""

    def __init__(self, client: HostClient) -> None:
        self._client = client
        self._user: User | None = None
        self._projects: dict[str, Project] = {}
        self._names: dict[int, str] = {}

    def close(self) -> None:
        self._client.close()

    def get_identity(self) -> HostIdentity:
        return HostIdentity(self._current_user().username)

    def list_repositories(self) -> Iterator[HostRepository]:
        # Keyset pagination: GitLab limits offset pagination to 50,000 rows.
        query: dict[str, str | int] = {
            "membership": "true",
            "pagination": "keyset",
            "order_by": "id",
            "sort": "asc",
            "per_page": PAGE_SIZE,
        }
        for page in self._client.pages("projects", list[Project], query):
            for project in page:
                yield project.to_host_repository()

    def get_repository(self, full_name: str) -> HostRepository:
        return self._client.get(quote_path("projects", full_name), Project).to_host_repository()

    def get_repository_by_id(self, host_id: str) -> HostRepository:
        return self._client.get(quote_path("projects", host_id), Project).to_host_repository()

    def has_branch(self, full_name: str, branch: str) -> bool:
        try:
            project = self._project(full_name)
            path = quote_path("projects", project.id, "repository", "branches", branch)
            return self._client.get(path, Branch).name == branch
        except HostMissingError:
            return False

    def get_pull_request(self, full_name: str, number: int) -> HostPullRequest:
        project = self._project(full_name)
        path = quote_path("projects", project.id, "merge_requests", number)
        return self._to_host_pull_request(self._client.get(path, MergeRequest))

    def list_open_pull_requests(self, full_name: str) -> Iterator[HostPullRequest]:
        project = self._project(full_name)
        query: dict[str, str | int] = {
            "state": "opened",
            "order_by": "created_at",
            "sort": "asc",
            "per_page": PAGE_SIZE,
        }
        path = quote_path("projects", project.id, "merge_requests")
        for page in self._client.pages(path, list[MergeRequest], query):
            for request in page:
                yield self._to_host_pull_request(request)

    def find_pull_requests(self, full_name: str, commit: str) -> list[int]:
        return [
            request.iid
            for request in self._list_open_with_commit(self._project(full_name).id, commit)
        ]

    def set_status(self, full_name: str, commit: str, status: HostStatus) -> None:
        project = self._project(full_name)
        try:
            self._post_status(project.id, commit, status)
        except HostMissingError:
            # A fork's commit is on no branch here; GitLab takes its status only in the fork.
            fork = self._find_fork_with_commit(project.id, commit)
            if fork is None:
                raise
            self._post_status_in_fork(fork, commit, status)

    def find_comment(self, full_name: str, number: int, mark: str) -> HostComment | None:
        ours = self._current_user().id
        query: dict[str, str | int] = {
            "sort": "asc",
            "order_by": "created_at",
            "per_page": PAGE_SIZE,
        }
        for page in self._client.pages(self._notes_path(full_name, number), list[Note], query):
            for note in page:
                if note.author.id == ours and mark in note.body:
                    return note.to_host_comment()
        return None

    def add_comment(self, full_name: str, number: int, body: str) -> HostComment:
        path = self._notes_path(full_name, number)
        return self._client.send("POST", path, {"body": body}, Note).to_host_comment()

    def edit_comment(self, full_name: str, number: int, comment_id: str, body: str) -> None:
        path = f"{self._notes_path(full_name, number)}/{quote_path(comment_id)}"
        try:
            self._client.send("PUT", path, {"body": body}, Note)
        except HostAccessError as error:
            # If the credentials still work, a previously connected account wrote the comment.
            self._client.get("user", User)
            raise HostMissingError(str(error)) from error

    def list_groups(self) -> Iterator[HostGroup]:
        # Guests belong to a group, too.
        query: dict[str, str | int] = {"min_access_level": 10, "per_page": PAGE_SIZE}
        for page in self._client.pages("groups", list[Group], query):
            for group in page:
                yield HostGroup(quote_path("groups", group.id), group.full_path)

    def list_members(self, group_id: str, page: int) -> tuple[list[HostPerson], bool]:
        # With "all", members of the groups above are listed, too.
        query: dict[str, str | int] = {"per_page": PEOPLE_PER_PAGE, "page": page}
        members, more = self._client.page(f"{group_id}/members/all", list[Member], query)
        return [member.to_host_person() for member in members], more

    def _current_user(self) -> User:
        if self._user is None:
            self._user = self._client.get("user", User)
        return self._user

    def _project(self, full_name: str) -> Project:
        """Return the project, fetched once: its id never changes."""
        if full_name not in self._projects:
            project = self._client.get(quote_path("projects", full_name), Project)
            self._projects[full_name] = project
            self._names[project.id] = project.path_with_namespace
        return self._projects[full_name]

    def _to_host_pull_request(self, request: MergeRequest) -> HostPullRequest:
        source = request.source_project_id
        return request.to_host_pull_request("" if source is None else self._name_of(source))

    def _name_of(self, project_id: int) -> str:
        """Return the full name; empty for a deleted or invisible fork."""
        if project_id not in self._names:
            try:
                fork = self._client.get(quote_path("projects", project_id), Project)
                self._names[project_id] = fork.path_with_namespace
            except (HostMissingError, HostAccessError):
                self._names[project_id] = ""
        return self._names[project_id]

    def _notes_path(self, full_name: str, number: int) -> str:
        return quote_path(
            "projects", self._project(full_name).id, "merge_requests", number, "notes"
        )

    def _list_open_with_commit(self, project_id: int, commit: str) -> list[MergeRequest]:
        path = quote_path("projects", project_id, "repository", "commits", commit, "merge_requests")
        try:
            pages = list(self._client.pages(path, list[MergeRequest], {"per_page": PAGE_SIZE}))
        except HostMissingError:
            # GitLab does not know the commit yet, or no longer.
            return []
        found = [request for page in pages for request in page if request.state == "opened"]
        return sorted(found, key=lambda request: request.iid)

    def _find_fork_with_commit(self, project_id: int, commit: str) -> MergeRequest | None:
        requests = self._list_open_with_commit(project_id, commit)
        return next(
            (one for one in requests if one.source_project_id not in {None, project_id}), None
        )

    def _post_status_in_fork(self, fork: MergeRequest, commit: str, status: HostStatus) -> None:
        try:
            self._post_status(fork.source_project_id or 0, commit, status, fork.source_branch)
        except (HostMissingError, HostAccessError) as error:
            raise HostMissingError(
                f"Merge request !{fork.iid} comes from a fork, where this account may not set a "
                "status. Give the account the Developer role in the fork, or run the pipelines of "
                "forks in this project."
            ) from error

    def _post_status(
        self, project_id: int, commit: str, status: HostStatus, branch: str = ""
    ) -> None:
        path = quote_path("projects", project_id, "statuses", commit)
        body = {
            "name": status.context,
            "description": truncate_description(status.description),
            "target_url": status.url,
            **({"ref": branch} if branch else {}),
        }
        for states in TRANSITIONS[STATES[status.state]]:
            if all(self._try_post(path, {**body, "state": state}) for state in states):
                return

    def _try_post(self, path: str, body: dict[str, str]) -> bool:
        """Post ``body``; return False when GitLab rejects the change from the current state."""
        try:
            self._client.send("POST", path, body, Status, retryable=True)
        except HostDeclinedError as error:
            if not _is_invalid_transition(error):
                raise
            return False
        return True


def _is_invalid_transition(error: HostDeclinedError) -> bool:
    return error.status == BAD_REQUEST and "Cannot transition status" in str(error)


def open_gitlab(url: str, credentials: Mapping[str, str]) -> GitLabHost:
    """Return the client of an account, without calling the provider."""
    return GitLabHost(gitlab_client(url, credentials["token"]))
