"""What the service asks of a source host, and the words it uses for it; every host is one of these.

Calls go over the network and raise the errors of ``hosts.errors`` alone. None of them is made
within a transaction.
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
    """Whom the host takes us for: the login of a token, or the name of an app."""

    name: str


@dataclass(frozen=True)
class HostRepository:
    """``id`` is the host's own and stays when the repository is renamed or moved."""

    id: str
    full_name: str
    default_branch: str
    private: bool = False
    archived: bool = False


@dataclass(frozen=True)
class HostPullRequest:
    """``head_repository`` is the full name of where the branch lies; empty when it is gone.

    ``merge_commit`` is what the target got by the merge; empty unless merged.
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


@dataclass(frozen=True)
class HostStatus:
    """A commit status; hosts keep the newest of each ``context``."""

    context: str
    state: StatusState
    description: str
    url: str


@dataclass(frozen=True)
class HostComment:
    id: str
    body: str


class Host(Protocol):
    """One connected account at a source host."""

    def identity(self) -> HostIdentity: ...

    def repositories(self) -> Iterator[HostRepository]:
        """All that the account can reach, every page of them."""
        ...

    def repository(self, full_name: str) -> HostRepository:
        """By its name now; hosts answer with the new name for a former one."""
        ...

    def repository_by_id(self, host_id: str) -> HostRepository: ...

    def pull_request(self, full_name: str, number: int) -> HostPullRequest: ...

    def open_pull_requests(self, full_name: str) -> Iterator[HostPullRequest]: ...

    def pull_requests_of(self, full_name: str, commit: str) -> list[int]:
        """The numbers of the open pull requests that have ``commit``, in their order."""
        ...

    def set_status(self, full_name: str, commit: str, status: HostStatus) -> None: ...

    def find_comment(self, full_name: str, number: int, mark: str) -> HostComment | None:
        """The first comment of a pull request, written by us, that holds ``mark``."""
        ...

    def add_comment(self, full_name: str, number: int, body: str) -> HostComment: ...

    def edit_comment(self, full_name: str, number: int, comment_id: str, body: str) -> None:
        """Raises HostMissingError when somebody deleted the comment."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class Event:
    """What a delivery tells, in our words.

    ``repository_id`` and ``full_name`` are the repository's at the host, the name as it is after
    the event; both are empty for ``ping`` and for ``account_removed``, by which the host tells that
    we may see nothing there any more. ``pull_request`` comes with the kind of that name, ``branch``
    with ``branch_deleted``.
    """

    kind: EventKind
    delivery_id: str
    repository_id: str = ""
    full_name: str = ""
    pull_request: HostPullRequest | None = None
    branch: str = ""


class Deliveries(Protocol):
    """Reads one kind of host's webhook deliveries; pure."""

    def check(self, headers: Mapping[str, str], body: bytes, secret: str) -> None:
        """Raise SignatureInvalidError unless ``body`` is signed with ``secret``."""
        ...

    def read(self, headers: Mapping[str, str], body: bytes) -> Event | None:
        """The event; None for kinds that do not matter here. Raises HostAnswerError."""
        ...
