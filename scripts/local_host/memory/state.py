"""The data of the provider in memory, with look-ups."""

from dataclasses import dataclass, field
from datetime import datetime

from scripts.local_host.memory.faults import Fault
from visual_review.hosts.errors import HostMissingError
from visual_review.hosts.port import (
    Event,
    HostPerson,
    HostPullRequest,
    HostRepository,
    HostStatus,
)

LOGIN = "visual-review"


@dataclass(frozen=True)
class WrittenComment:
    id: str
    author: str
    body: str


@dataclass(frozen=True)
class Call:
    """One call of the port; ``failure`` is the name of the error, empty on success."""

    name: str
    arguments: tuple[str, ...]
    failure: str = ""


@dataclass
class StoredRepository:
    """``statuses`` are all statuses ever set, in order; ``commits`` has a list per pull request."""

    seen: HostRepository
    former_names: list[str] = field(default_factory=list)
    branches: dict[str, str] = field(default_factory=dict)
    pull_requests: dict[int, HostPullRequest] = field(default_factory=dict)
    commits: dict[int, list[str]] = field(default_factory=dict)
    comments: dict[int, list[WrittenComment]] = field(default_factory=dict)
    statuses: list[tuple[str, HostStatus]] = field(default_factory=list)

    def pull_request(self, number: int) -> HostPullRequest:
        try:
            return self.pull_requests[number]
        except KeyError:
            raise HostMissingError(
                f"There is no pull request #{number} in {self.seen.full_name}."
            ) from None


@dataclass
class State:
    """All data of one world; ``groups`` are by id, each with a name and members."""

    groups: dict[str, tuple[str, list[HostPerson]]] = field(default_factory=dict)
    repositories: dict[str, StoredRepository] = field(default_factory=dict)
    revoked_tokens: set[str] = field(default_factory=set)
    faults: list[Fault] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    last_number: int = 0
    last_moment: datetime | None = None

    def next_number(self) -> int:
        """Return a new number for ids, unique in one world."""
        self.last_number += 1
        return self.last_number

    def by_id(self, host_id: str) -> StoredRepository:
        try:
            return self.repositories[host_id]
        except KeyError:
            raise HostMissingError(
                f"There is no repository with the id {host_id}, or the account may not see it."
            ) from None

    def by_name(self, full_name: str) -> StoredRepository:
        """Find a repository by the current name, otherwise by an old name, ignoring case."""
        wanted = full_name.lower()
        stored = list(self.repositories.values())
        for one in stored:
            if one.seen.full_name.lower() == wanted:
                return one
        for one in stored:
            if wanted in one.former_names:
                return one
        raise HostMissingError(
            f"There is no repository {full_name}, or the account may not see it."
        )
