"""Repositories and pull requests in memory, and the operations of their users."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from threading import RLock

from scripts.local_host.memory.faults import Fault, FaultKind
from scripts.local_host.memory.state import (
    LOGIN,
    Call,
    State,
    StoredRepository,
    WrittenComment,
)
from visual_review.hosts.port import (
    Event,
    EventKind,
    HostPerson,
    HostPullRequest,
    HostRepository,
    HostStatus,
)
from visual_review.kernel.clock import now


class MemoryWorld:
    """One Git provider in memory; safe to use from several threads.

    Methods raise HostMissingError for something unknown. Each change adds the event of a webhook to
    ``take_events``.
    """

    def __init__(self, url: str, login: str = LOGIN) -> None:
        self.url = url
        self.login = login
        self._state = State()
        self._lock = RLock()

    @contextmanager
    def locked(self) -> Iterator[State]:
        """Lock the state for the calling thread and return the state."""
        with self._lock:
            yield self._state

    def add_repository(
        self,
        full_name: str,
        default_branch: str = "main",
        *,
        private: bool = False,
        archived: bool = False,
    ) -> HostRepository:
        with self.locked() as state:
            number = str(state.next_number())
            seen = HostRepository(number, full_name, default_branch, private, archived)
            state.repositories[number] = StoredRepository(seen, branches={default_branch: ""})
            return seen

    def add_group(self, group_id: str, name: str, *members: HostPerson) -> None:
        with self.locked() as state:
            state.groups[group_id] = (name, list(members))

    def rename_repository(self, full_name: str, new_name: str) -> HostRepository:
        """Change the name: the id stays, and the old name leads to the new one."""
        return self._change_name(full_name, new_name, "repository_renamed")

    def transfer_repository(self, full_name: str, new_name: str) -> HostRepository:
        return self._change_name(full_name, new_name, "repository_transferred")

    def remove_repository(self, full_name: str) -> None:
        with self.locked() as state:
            stored = state.by_name(full_name)
            del state.repositories[stored.seen.id]
            self._add_event(state, stored, "repository_removed")

    def open_pull_request(
        self,
        full_name: str,
        head_branch: str,
        head_commit: str,
        base_branch: str = "main",
        *,
        title: str = "A change",
        head_repository: str = "",
    ) -> HostPullRequest:
        """Open one from the repository itself unless ``head_repository`` names a fork."""
        with self.locked() as state:
            stored = state.by_name(full_name)
            number = max(stored.pull_requests, default=0) + 1
            stored.commits[number] = [head_commit]
            stored.comments[number] = []
            if not head_repository:
                stored.branches[head_branch] = head_commit
            opened = HostPullRequest(
                number=number,
                title=title,
                state="open",
                head_branch=head_branch,
                head_repository=head_repository or stored.seen.full_name,
                head_commit=head_commit,
                base_branch=base_branch,
            )
            return self._store_pull_request(state, stored, opened)

    def describe(self, full_name: str, number: int, description: str) -> HostPullRequest:
        with self.locked() as state:
            stored = state.by_name(full_name)
            pull = replace(stored.pull_request(number), description=description)
            return self._store_pull_request(state, stored, pull)

    def push(self, full_name: str, number: int, commit: str) -> HostPullRequest:
        with self.locked() as state:
            stored = state.by_name(full_name)
            pull = stored.pull_request(number)
            stored.commits[number].append(commit)
            if pull.head_repository == stored.seen.full_name:
                stored.branches[pull.head_branch] = commit
            return self._store_pull_request(state, stored, replace(pull, head_commit=commit))

    def change_base_branch(self, full_name: str, number: int, base_branch: str) -> HostPullRequest:
        with self.locked() as state:
            stored = state.by_name(full_name)
            pull = stored.pull_request(number)
            return self._store_pull_request(state, stored, replace(pull, base_branch=base_branch))

    def close_pull_request(self, full_name: str, number: int) -> HostPullRequest:
        with self.locked() as state:
            stored = state.by_name(full_name)
            return self._store_pull_request(
                state, stored, replace(stored.pull_request(number), state="closed")
            )

    def reopen_pull_request(self, full_name: str, number: int) -> HostPullRequest:
        with self.locked() as state:
            stored = state.by_name(full_name)
            return self._store_pull_request(
                state, stored, replace(stored.pull_request(number), state="open")
            )

    def merge_pull_request(
        self, full_name: str, number: int, merge_commit: str = ""
    ) -> HostPullRequest:
        """Merge a pull request.

        ``merge_commit`` is the commit of a merge or squash; without one, the head is used.
        """
        with self.locked() as state:
            stored = state.by_name(full_name)
            pull = stored.pull_request(number)
            commit = merge_commit or pull.head_commit
            stored.branches[pull.base_branch] = commit
            return self._store_pull_request(
                state, stored, replace(pull, state="merged", merge_commit=commit)
            )

    def delete_branch(self, full_name: str, branch: str) -> None:
        with self.locked() as state:
            stored = state.by_name(full_name)
            stored.branches.pop(branch, None)
            self._add_event(state, stored, "branch_deleted", branch=branch)

    def write_comment(
        self, full_name: str, number: int, body: str, author: str = "someone"
    ) -> WrittenComment:
        with self.locked() as state:
            stored = state.by_name(full_name)
            stored.pull_request(number)
            written = WrittenComment(str(state.next_number()), author, body)
            stored.comments[number].append(written)
            return written

    def delete_comment(self, full_name: str, number: int, comment_id: str) -> None:
        with self.locked() as state:
            stored = state.by_name(full_name)
            stored.pull_request(number)
            kept = [one for one in stored.comments[number] if one.id != comment_id]
            stored.comments[number] = kept

    def comments_of(self, full_name: str, number: int) -> list[WrittenComment]:
        with self.locked() as state:
            stored = state.by_name(full_name)
            stored.pull_request(number)
            return list(stored.comments[number])

    def statuses_of(self, full_name: str, commit: str) -> dict[str, HostStatus]:
        """Return the newest status of each context."""
        return {status.context: status for status in self.all_statuses_of(full_name, commit)}

    def all_statuses_of(self, full_name: str, commit: str) -> list[HostStatus]:
        """Return every status ever set for the commit, the oldest first."""
        with self.locked() as state:
            stored = state.by_name(full_name)
            return [status for where, status in stored.statuses if where == commit]

    def revoke(self, token: str) -> None:
        """Reject calls with the token from now on."""
        with self.locked() as state:
            state.revoked_tokens.add(token)

    def add_fault(
        self,
        kind: FaultKind,
        *calls: str,
        every: int = 1,
        times: int | None = None,
        until: datetime | None = None,
        response_lost: bool = False,
    ) -> Fault:
        """Simulate a fault from now on; see ``Fault`` for the arguments."""
        fault = Fault(kind, frozenset(calls), every, times, until, response_lost)
        with self.locked() as state:
            state.faults.append(fault)
        return fault

    def clear_faults(self) -> None:
        """Remove all faults, and accept revoked tokens again."""
        with self.locked() as state:
            state.faults.clear()
            state.revoked_tokens.clear()

    def calls(self, *names: str) -> list[Call]:
        """Return the calls of the port so far, or only the calls with the given names."""
        with self.locked() as state:
            return [call for call in state.calls if not names or call.name in names]

    def take_events(self) -> list[Event]:
        """Remove and return the events since the last time, in order."""
        with self.locked() as state:
            taken, state.events = state.events, []
            return taken

    def _change_name(self, full_name: str, new_name: str, kind: EventKind) -> HostRepository:
        with self.locked() as state:
            stored = state.by_name(full_name)
            former = stored.seen.full_name
            stored.former_names.append(former.lower())
            stored.seen = replace(stored.seen, full_name=new_name)
            for number, pull in stored.pull_requests.items():
                if pull.head_repository == former:
                    stored.pull_requests[number] = replace(pull, head_repository=new_name)
            self._add_event(state, stored, kind)
            return stored.seen

    def _store_pull_request(
        self, state: State, stored: StoredRepository, pull: HostPullRequest
    ) -> HostPullRequest:
        moment = now()
        if state.last_moment is not None and moment <= state.last_moment:
            # Two changes never share a time, however coarse the clock is.
            moment = state.last_moment + timedelta(microseconds=1)
        state.last_moment = moment
        updated = replace(pull, updated_at=moment)
        stored.pull_requests[pull.number] = updated
        self._add_event(state, stored, "pull_request", pull_request=updated)
        return updated

    def _add_event(
        self,
        state: State,
        stored: StoredRepository,
        kind: EventKind,
        *,
        pull_request: HostPullRequest | None = None,
        branch: str = "",
    ) -> None:
        state.events.append(
            Event(
                kind=kind,
                delivery_id=f"delivery-{state.next_number()}",
                repository_id=stored.seen.id,
                full_name=stored.seen.full_name,
                pull_request=pull_request,
                branch=branch,
            )
        )


_worlds: dict[str, MemoryWorld] = {}
_worlds_lock = RLock()


def world_of(url: str, *, fresh: bool = False) -> MemoryWorld:
    """Return the world at ``memory://name``, the same one everywhere in a process.

    ``fresh`` replaces the world with an empty one, for tests.
    """
    with _worlds_lock:
        if fresh or url not in _worlds:
            _worlds[url] = MemoryWorld(url)
        return _worlds[url]
