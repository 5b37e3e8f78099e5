"""The adapter for the REST API shared by Gitea and Forgejo."""

from collections.abc import Iterator, Mapping

from visual_review.hosts.access import TokenAccess
from visual_review.hosts.errors import HostAccessError, HostMissingError
from visual_review.hosts.gitea.schemas import (
    Comment,
    Commit,
    NamedBranch,
    Organization,
    Person,
    PullRequest,
    Repository,
    Status,
    Team,
    User,
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

# The largest page under Gitea's default settings.
PAGE_SIZE = 50
# If no head matches, search so many open pull requests for a commit, newest change first.
MAX_SEARCHED = 30


def gitea_client(url: str, token: str, retry_policy: RetryPolicy | None = None) -> HostClient:
    access = TokenAccess("Authorization", "token ", token)
    return HostClient(f"{url.rstrip('/')}/api/v1", access, retry_policy=retry_policy)


class GiteaHost:
    """Gitea redirects an old name for reads and writes alike."""

    def __init__(self, client: HostClient) -> None:
        self._client = client
        self._user: User | None = None

    def close(self) -> None:
        self._client.close()

    def get_identity(self) -> HostIdentity:
        return HostIdentity(self._current_user().login)

    def list_repositories(self) -> Iterator[HostRepository]:
        # By id: a change while pages are read must not shift entries between pages.
        query: dict[str, str | int] = {"order_by": "id", "limit": PAGE_SIZE}
        for page in self._client.pages("user/repos", list[Repository], query):
            for repository in page:
                yield repository.to_host_repository()

    def get_repository(self, full_name: str) -> HostRepository:
        return self._client.get(_repo_path(full_name), Repository).to_host_repository()

    def get_repository_by_id(self, host_id: str) -> HostRepository:
        path = quote_path("repositories", host_id)
        return self._client.get(path, Repository).to_host_repository()

    def has_branch(self, full_name: str, branch: str) -> bool:
        path = f"{_repo_path(full_name)}/{quote_path('branches', branch)}"
        try:
            return self._client.get(path, NamedBranch).name == branch
        except HostMissingError:
            return False

    def get_pull_request(self, full_name: str, number: int) -> HostPullRequest:
        path = f"{_repo_path(full_name)}/{quote_path('pulls', number)}"
        return self._client.get(path, PullRequest).to_host_pull_request()

    def list_open_pull_requests(self, full_name: str) -> Iterator[HostPullRequest]:
        return self._list_open(full_name, "oldest")

    def find_pull_requests(self, full_name: str, commit: str) -> list[int]:
        """Compare heads, then the commits of the newest: Gitea has no search by commit."""
        pulls = list(self._list_open(full_name, "recentupdate"))
        heads = [pull.number for pull in pulls if pull.head_commit == commit]
        found = heads or [
            pull.number
            for pull in pulls[:MAX_SEARCHED]
            if self._has_commit(full_name, pull.number, commit)
        ]
        return sorted(found)

    def set_status(self, full_name: str, commit: str, status: HostStatus) -> None:
        path = f"{_repo_path(full_name)}/{quote_path('statuses', commit)}"
        body = {
            "context": status.context,
            "state": status.state,
            "description": status.description,
            "target_url": status.url,
        }
        self._client.send("POST", path, body, Status, retryable=True)

    def find_comment(self, full_name: str, number: int, mark: str) -> HostComment | None:
        ours = self._current_user().id
        for page in self._client.pages(_comments_path(full_name, number), list[Comment]):
            for comment in page:
                if comment.user and comment.user.id == ours and mark in comment.body:
                    return comment.to_host_comment()
        return None

    def add_comment(self, full_name: str, number: int, body: str) -> HostComment:
        path = _comments_path(full_name, number)
        return self._client.send("POST", path, {"body": body}, Comment).to_host_comment()

    def edit_comment(self, full_name: str, number: int, comment_id: str, body: str) -> None:  # noqa: ARG002 - Gitea numbers comments across all pull requests.
        path = f"{_repo_path(full_name)}/{quote_path('issues', 'comments', comment_id)}"
        try:
            self._client.send("PATCH", path, {"body": body}, Comment)
        except HostAccessError as error:
            # If the credentials still work, a previously connected account wrote the comment.
            self._client.get("user", User)
            raise HostMissingError(str(error)) from error

    def list_groups(self) -> Iterator[HostGroup]:
        query = {"limit": PAGE_SIZE}
        for organizations in self._client.pages("user/orgs", list[Organization], query):
            for organization in organizations:
                path = quote_path("orgs", organization.name)
                yield HostGroup(path, organization.name)
                for teams in self._client.pages(f"{path}/teams", list[Team], query):
                    for team in teams:
                        name = f"{organization.name}/{team.name}"
                        yield HostGroup(quote_path("teams", team.id), name)

    def list_members(self, group_id: str, page: int) -> tuple[list[HostPerson], bool]:
        query = {"limit": PEOPLE_PER_PAGE, "page": page}
        members, more = self._client.page(f"{group_id}/members", list[Person], query)
        return [member.to_host_person() for member in members], more

    def _current_user(self) -> User:
        if self._user is None:
            self._user = self._client.get("user", User)
        return self._user

    def _list_open(self, full_name: str, sort: str) -> Iterator[HostPullRequest]:
        query: dict[str, str | int] = {"state": "open", "sort": sort, "limit": PAGE_SIZE}
        path = f"{_repo_path(full_name)}/pulls"
        for page in self._client.pages(path, list[PullRequest], query):
            for pull in page:
                yield pull.to_host_pull_request()

    def _has_commit(self, full_name: str, number: int, commit: str) -> bool:
        path = f"{_repo_path(full_name)}/{quote_path('pulls', number, 'commits')}"
        pages = self._client.pages(path, list[Commit], {"limit": PAGE_SIZE})
        return any(one.sha == commit for page in pages for one in page)


def _repo_path(full_name: str) -> str:
    owner, _, name = full_name.partition("/")
    if "/" in name:
        raise HostMissingError(
            f"Repository names in Gitea are owner/name; '{full_name}' has more parts."
        )
    return quote_path("repos", owner, name)


def _comments_path(full_name: str, number: int) -> str:
    return f"{_repo_path(full_name)}/{quote_path('issues', number, 'comments')}"


def open_gitea(url: str, credentials: Mapping[str, str]) -> GiteaHost:
    """Return the client of an account, without calling the provider."""
    return GiteaHost(gitea_client(url, credentials["token"]))
