"""The interface to a Git provider and its data types; every adapter implements it.

Calls use the network and raise only the errors of ``hosts.errors``. None of them is made within
a transaction.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, Protocol

Kind = Literal["github", "gitlab", "gitea", "memory"]
KINDS: Final[tuple[Kind, ...]] = ("github", "gitlab", "gitea", "memory")
StatusState = Literal["pending", "success", "failure", "error"]
PullRequestState = Literal["open", "closed", "merged"]
EventKind = Literal[
    "pull_request",
    "branch_deleted",
    "repository_renamed",
    "repository_transferred",
    "repository_removed",
    "account_removed",
    "ping",
]


@dataclass(frozen=True)
class HostIdentity:
    """Who the provider says we are: the login of a token, or the name of an app."""

    name: str


@dataclass(frozen=True)
class HostRepository:
    """``id`` is the provider's own and stays when the repository is renamed or transferred."""

    id: str
    full_name: str
    default_branch: str
    private: bool = False
    archived: bool = False


@dataclass(frozen=True)
class HostPullRequest:
    """``head_repository`` is the full name of the branch's repository; empty when that is gone.

    ``merge_commit`` is the commit on the base branch after the merge; empty unless merged.
    """

    number: int
    title: str
    state: PullRequestState
    head_branch: str
    head_repository: str
    head_commit: str
    base_branch: str
    merge_commit: str = ""
    updated_at: datetime | None = None
    # Events that earlier versions of this service stored have none.
    description: str = ""


@dataclass(frozen=True)
class HostStatus:
    """A commit status; providers show the newest of each ``context``."""

    context: str
    state: StatusState
    description: str
    url: str


@dataclass(frozen=True)
class HostComment:
    id: str
    body: str


@dataclass(frozen=True)
class HostGroup:
    """An organization, group or team; ``id`` is what ``list_members`` takes."""

    id: str
    name: str


@dataclass(frozen=True)
class HostPerson:
    """``name``, ``email`` and ``avatar``, a URL, are empty where the provider shows none."""

    login: str
    name: str
    email: str
    avatar: str


# People in one page of a group's members.
PEOPLE_PER_PAGE: Final = 30


class Host(Protocol):
    """A client for one connected account at a Git provider."""

    def get_identity(self) -> HostIdentity: ...

    def list_repositories(self) -> Iterator[HostRepository]:
        """Yield all that the account can reach, from every page."""
        ...

    def get_repository(self, full_name: str) -> HostRepository:
        """Find it by its current name; for an old name providers return the new one."""
        ...

    def get_repository_by_id(self, host_id: str) -> HostRepository: ...

    def has_branch(self, full_name: str, branch: str) -> bool:
        """Return whether the account sees the branch: False also without access to branches."""
        ...

    def get_pull_request(self, full_name: str, number: int) -> HostPullRequest: ...

    def list_open_pull_requests(self, full_name: str) -> Iterator[HostPullRequest]: ...

    def find_pull_requests(self, full_name: str, commit: str) -> list[int]:
        """Return the numbers of the open pull requests that contain ``commit``, sorted."""
        ...

    def set_status(self, full_name: str, commit: str, status: HostStatus) -> None: ...

    def find_comment(self, full_name: str, number: int, mark: str) -> HostComment | None:
        """Return the pull request's first comment that we wrote and that contains ``mark``."""
        ...

    def add_comment(self, full_name: str, number: int, body: str) -> HostComment: ...

    def edit_comment(self, full_name: str, number: int, comment_id: str, body: str) -> None:
        """Raises HostMissingError when the comment was deleted."""
        ...

    def list_groups(self) -> Iterator[HostGroup]:
        """Yield the organizations that the account belongs to, each followed by its teams."""
        ...

    def list_members(self, group_id: str, page: int) -> tuple[list[HostPerson], bool]:
        """Return a page of a group's members, counted from 1, and whether another one follows."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class Event:
    """What a delivery reports, in our terms.

    ``repository_id`` and ``full_name`` are the provider's, the name as it is after the event; both
    are empty for ``ping`` and for ``account_removed``, which means that the account lost access.
    ``pull_request`` comes with the kind of that name, ``branch`` with ``branch_deleted``.
    """

    kind: EventKind
    delivery_id: str
    repository_id: str = ""
    full_name: str = ""
    pull_request: HostPullRequest | None = None
    branch: str = ""


class WebhookReader(Protocol):
    """Verifies and parses the webhook deliveries of one kind of provider; pure."""

    def verify_signature(self, headers: Mapping[str, str], body: bytes, secret: str) -> None:
        """Raise SignatureInvalidError unless ``body`` is signed with ``secret``."""
        ...

    def may_be_genuine(self, headers: Mapping[str, str], secret: str) -> bool:
        """Whether a body could be signed with ``secret``, as far as the headers show."""
        ...

    def parse_event(self, headers: Mapping[str, str], body: bytes) -> Event | None:
        """Return the event; None for kinds that do not matter here. Raises HostResponseError."""
        ...
