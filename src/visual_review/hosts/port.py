"""The interface of every adapter of a Git provider, its data types, and events as JSON.

Calls use the network and raise only the errors of ``hosts.errors``. Make no call within a
transaction.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, Protocol

from pydantic import TypeAdapter, ValidationError

from visual_review.hosts.errors import HostResponseError

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
    """A pull request, called a merge request by GitLab."""

    number: int
    title: str
    state: PullRequestState
    head_branch: str
    # The full name of the head branch's repository; empty for a deleted repository.
    head_repository: str
    head_commit: str
    base_branch: str
    # The commit on the base branch after the merge; empty unless merged.
    merge_commit: str = ""
    updated_at: datetime | None = None
    # Empty in stored events of earlier versions.
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
    """An organization, group or team; ``id`` is for ``list_members``."""

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
        """Yield all repositories within the account's reach, from every page."""
        ...

    def get_repository(self, full_name: str) -> HostRepository:
        """Find a repository by its current name; for an old name providers return the new one."""
        ...

    def get_repository_by_id(self, host_id: str) -> HostRepository: ...

    def has_branch(self, full_name: str, branch: str) -> bool:
        """Return whether the account sees the branch: False also without access to branches."""
        ...

    def get_pull_request(self, full_name: str, number: int) -> HostPullRequest: ...

    def list_open_pull_requests(self, full_name: str) -> Iterator[HostPullRequest]: ...

    def find_pull_requests(self, full_name: str, commit: str) -> list[int]:
        """Return the numbers of the open pull requests containing ``commit``, sorted."""
        ...

    def set_status(self, full_name: str, commit: str, status: HostStatus) -> None: ...

    def find_comment(self, full_name: str, number: int, mark: str) -> HostComment | None:
        """Return the pull request's first comment written by us and containing ``mark``."""
        ...

    def add_comment(self, full_name: str, number: int, body: str) -> HostComment: ...

    def edit_comment(self, full_name: str, number: int, comment_id: str, body: str) -> None:
        """Raises HostMissingError when the comment was deleted."""
        ...

    def list_groups(self) -> Iterator[HostGroup]:
        """Yield the account's organizations, each followed by its teams."""
        ...

    def list_members(self, group_id: str, page: int) -> tuple[list[HostPerson], bool]:
        """Return a page of a group's members, counted from 1, and whether another one follows."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class Event:
    """The content of a delivery, in our terms. ``account_removed``: the account lost access."""

    kind: EventKind
    delivery_id: str
    # Empty for ``ping`` and ``account_removed``.
    repository_id: str = ""
    # The provider's name of the repository after the event; empty like ``repository_id``.
    full_name: str = ""
    # Only of ``pull_request`` events.
    pull_request: HostPullRequest | None = None
    # Only of ``branch_deleted`` events.
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
        """Return the event; None for irrelevant kinds. Raises HostResponseError."""
        ...


_EVENTS: Final = TypeAdapter(Event)


def to_json(event: Event) -> dict[str, Any]:
    """Return JSON for ``parse_stored_event``, without characters invalid in PostgreSQL."""
    # As Python objects: serializing to JSON text would fail on lone surrogates.
    document: dict[str, Any] = _strip_all(_EVENTS.dump_python(event))
    pull_request = document["pull_request"]
    if pull_request and pull_request["updated_at"]:
        pull_request["updated_at"] = pull_request["updated_at"].isoformat()
    return document


def parse_stored_event(document: dict[str, Any]) -> Event:
    """Return the event; raises HostResponseError for JSON not written by ``to_json``."""
    try:
        return _EVENTS.validate_python(document)
    except ValidationError as error:
        raise HostResponseError("The stored delivery cannot be read.") from error


def strip_invalid_characters(text: str) -> str:
    """Return ``text`` without null characters and lone surrogates, both allowed in JSON."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()


def _strip_all(value: Any) -> Any:  # noqa: ANN401 - Whatever a document holds.
    if isinstance(value, str):
        return strip_invalid_characters(value)
    if isinstance(value, dict):
        return {name: _strip_all(one) for name, one in value.items()}
    return value
