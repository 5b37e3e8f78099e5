"""The adapter for the Git provider in memory."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from scripts.local_host.memory.state import Call, State, WrittenComment
from scripts.local_host.memory.world import MemoryWorld, world_of
from visual_review.hosts.errors import HostAccessError, HostError, HostMissingError
from visual_review.hosts.port import (
    HostComment,
    HostGroup,
    HostIdentity,
    HostPerson,
    HostPullRequest,
    HostRepository,
    HostStatus,
)

# Small, so that code for reading lists has to read several pages.
PAGE_SIZE = 3


class MemoryHost:
    """One account in a world: the holder of a token that was not revoked."""

    def __init__(self, world: MemoryWorld, token: str) -> None:
        self._world = world
        self._token = token

    def get_identity(self) -> HostIdentity:
        with self.call("get_identity"):
            return HostIdentity(self._world.login)

    def list_repositories(self) -> Iterator[HostRepository]:
        start = 0
        while True:
            with self.call("list_repositories", start // PAGE_SIZE + 1) as state:
                known = [stored.seen for stored in state.repositories.values()]
            yield from known[start : start + PAGE_SIZE]
            start += PAGE_SIZE
            if start >= len(known):
                return

    def get_repository(self, full_name: str) -> HostRepository:
        with self.call("get_repository", full_name) as state:
            return state.by_name(full_name).seen

    def get_repository_by_id(self, host_id: str) -> HostRepository:
        with self.call("get_repository_by_id", host_id) as state:
            return state.by_id(host_id).seen

    def has_branch(self, full_name: str, branch: str) -> bool:
        try:
            with self.call("has_branch", full_name, branch) as state:
                return branch in state.by_name(full_name).branches
        except HostMissingError:
            return False

    def get_pull_request(self, full_name: str, number: int) -> HostPullRequest:
        with self.call("get_pull_request", full_name, number) as state:
            return state.by_name(full_name).pull_request(number)

    def list_open_pull_requests(self, full_name: str) -> Iterator[HostPullRequest]:
        start = 0
        while True:
            with self.call("list_open_pull_requests", full_name, start // PAGE_SIZE + 1) as state:
                pulls = state.by_name(full_name).pull_requests.values()
                still_open = [pull for pull in pulls if pull.state == "open"]
            yield from still_open[start : start + PAGE_SIZE]
            start += PAGE_SIZE
            if start >= len(still_open):
                return

    def find_pull_requests(self, full_name: str, commit: str) -> list[int]:
        with self.call("find_pull_requests", full_name, commit) as state:
            stored = state.by_name(full_name)
            return sorted(
                number
                for number, commits in stored.commits.items()
                if commit in commits and stored.pull_requests[number].state == "open"
            )

    def set_status(self, full_name: str, commit: str, status: HostStatus) -> None:
        arguments = (full_name, commit, status.context, status.state)
        with self.call("set_status", *arguments) as state:
            state.by_name(full_name).statuses.append((commit, status))

    def find_comment(self, full_name: str, number: int, mark: str) -> HostComment | None:
        with self.call("find_comment", full_name, number, mark):
            for written in self._world.comments_of(full_name, number):
                if written.author == self._world.login and mark in written.body:
                    return HostComment(written.id, written.body)
            return None

    def add_comment(self, full_name: str, number: int, body: str) -> HostComment:
        with self.call("add_comment", full_name, number):
            world = self._world
            written = world.write_comment(full_name, number, body, author=world.login)
            return HostComment(written.id, written.body)

    def edit_comment(self, full_name: str, number: int, comment_id: str, body: str) -> None:
        with self.call("edit_comment", full_name, number, comment_id) as state:
            stored = state.by_name(full_name)
            stored.pull_request(number)
            comments = stored.comments[number]
            for place, written in enumerate(comments):
                if written.id == comment_id:
                    comments[place] = WrittenComment(comment_id, written.author, body)
                    return
            raise HostMissingError(f"There is no comment {comment_id} on #{number}.")

    def list_groups(self) -> Iterator[HostGroup]:
        with self.call("list_groups") as state:
            groups = list(state.groups.items())
        for group_id, (name, _) in groups:
            yield HostGroup(group_id, name)

    def list_members(self, group_id: str, page: int) -> tuple[list[HostPerson], bool]:
        with self.call("list_members", group_id, page) as state:
            if group_id not in state.groups:
                raise HostMissingError(f"There is no group {group_id}.")
            members = list(state.groups[group_id][1])
        ends = page * PAGE_SIZE
        return members[ends - PAGE_SIZE : ends], ends < len(members)

    def close(self) -> None:
        """Do nothing: there is no connection."""

    @contextmanager
    def call(self, name: str, *arguments: object) -> Iterator[State]:
        """Run the block as the call ``name``: authenticated, with faults, and recorded."""
        texts = tuple(str(argument) for argument in arguments)
        with self._world.locked() as state:
            try:
                self._authenticate(state)
                faults = [fault for fault in state.faults if fault.applies_to(name)]
                for fault in faults:
                    if not fault.response_lost:
                        raise fault.error()
                yield state
                for fault in faults:
                    raise fault.error()
            except HostError as error:
                state.calls.append(Call(name, texts, type(error).__name__))
                raise
            state.calls.append(Call(name, texts))

    def _authenticate(self, state: State) -> None:
        if not self._token or self._token in state.revoked_tokens:
            raise HostAccessError("The Git provider does not accept this token any more.")


def open_memory_host(url: str, credentials: Mapping[str, str]) -> MemoryHost:
    """Return the client of an account in the world at ``url``."""
    return MemoryHost(world_of(url), credentials["token"])
