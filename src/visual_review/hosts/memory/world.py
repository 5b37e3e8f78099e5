"""A world of repositories and pull requests, and what people do there."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from threading import RLock

from visual_review.hosts.memory.faults import Fault, Trouble
from visual_review.hosts.memory.state import (
    LOGIN,
    Call,
    State,
    StoredRepository,
    WrittenComment,
)
from visual_review.hosts.port import (
    Event,
    EventKind,
    HostPullRequest,
    HostRepository,
    HostStatus,
)
from visual_review.kernel.clock import now


class MemoryWorld:
    """One host in memory; safe to use from several threads.

    Methods that ask for something unknown raise HostMissingError. Each change adds the event a
    webhook would tell to ``take_events``.
    """

    def __init__(self, address: str, login: str = LOGIN) -> None:
        self.address = address
        self.login = login
        self._state = State()
        self._lock = RLock()

    @contextmanager
    def held(self) -> Iterator[State]:
        """Everything there is, for this thread alone."""
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
        with self.held() as state:
            number = str(state.next_number())
            seen = HostRepository(number, full_name, default_branch, private, archived)
            state.repositories[number] = StoredRepository(seen, branches={default_branch: ""})
            return seen

    def rename_repository(self, full_name: str, new_name: str) -> HostRepository:
        """The id stays, and the former name leads to the new one."""
        return self._move(full_name, new_name, "repository_renamed")

    def transfer_repository(self, full_name: str, new_name: str) -> HostRepository:
        return self._move(full_name, new_name, "repository_transferred")

    def remove_repository(self, full_name: str) -> None:
        with self.held() as state:
            stored = state.by_name(full_name)
            del state.repositories[stored.seen.id]
            self._tell(state, stored, "repository_removed")

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
        """From the repository itself unless ``head_repository`` names a fork."""
        with self.held() as state:
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
            return self._note(state, stored, opened)

    def push(self, full_name: str, number: int, commit: str) -> HostPullRequest:
        with self.held() as state:
            stored = state.by_name(full_name)
            pull = stored.pull_request(number)
            stored.commits[number].append(commit)
            if pull.head_repository == stored.seen.full_name:
                stored.branches[pull.head_branch] = commit
            return self._note(state, stored, replace(pull, head_commit=commit))

    def retarget(self, full_name: str, number: int, base_branch: str) -> HostPullRequest:
        with self.held() as state:
            stored = state.by_name(full_name)
            pull = stored.pull_request(number)
            return self._note(state, stored, replace(pull, base_branch=base_branch))

    def close_pull_request(self, full_name: str, number: int) -> HostPullRequest:
        with self.held() as state:
            stored = state.by_name(full_name)
            return self._note(state, stored, replace(stored.pull_request(number), state="closed"))

    def reopen_pull_request(self, full_name: str, number: int) -> HostPullRequest:
        with self.held() as state:
            stored = state.by_name(full_name)
            return self._note(state, stored, replace(stored.pull_request(number), state="open"))

    def merge_pull_request(
        self, full_name: str, number: int, merge_commit: str = ""
    ) -> HostPullRequest:
        """``merge_commit`` is new where the host merges or squashes; the head unless given."""
        with self.held() as state:
            stored = state.by_name(full_name)
            pull = stored.pull_request(number)
            commit = merge_commit or pull.head_commit
            stored.branches[pull.base_branch] = commit
            return self._note(state, stored, replace(pull, state="merged", merge_commit=commit))

    def delete_branch(self, full_name: str, branch: str) -> None:
        with self.held() as state:
            stored = state.by_name(full_name)
            stored.branches.pop(branch, None)
            self._tell(state, stored, "branch_deleted", branch=branch)

    def write_comment(
        self, full_name: str, number: int, body: str, author: str = "somebody"
    ) -> WrittenComment:
        with self.held() as state:
            stored = state.by_name(full_name)
            stored.pull_request(number)
            written = WrittenComment(str(state.next_number()), author, body)
            stored.comments[number].append(written)
            return written

    def delete_comment(self, full_name: str, number: int, comment_id: str) -> None:
        with self.held() as state:
            stored = state.by_name(full_name)
            stored.pull_request(number)
            kept = [one for one in stored.comments[number] if one.id != comment_id]
            stored.comments[number] = kept

    def comments_of(self, full_name: str, number: int) -> list[WrittenComment]:
        with self.held() as state:
            stored = state.by_name(full_name)
            stored.pull_request(number)
            return list(stored.comments[number])

    def statuses_of(self, full_name: str, commit: str) -> dict[str, HostStatus]:
        """The newest status of each context."""
        return {status.context: status for status in self.all_statuses_of(full_name, commit)}

    def all_statuses_of(self, full_name: str, commit: str) -> list[HostStatus]:
        """Every status ever set for the commit, the oldest first."""
        with self.held() as state:
            stored = state.by_name(full_name)
            return [status for where, status in stored.statuses if where == commit]

    def revoke(self, token: str) -> None:
        """Calls with this token are refused from now on."""
        with self.held() as state:
            state.revoked_tokens.add(token)

    def disturb(
        self,
        trouble: Trouble,
        *calls: str,
        every: int = 1,
        times: int | None = None,
        until: datetime | None = None,
        answer_lost: bool = False,
    ) -> Fault:
        """Have a fault from now on; see ``Fault`` for what the words mean."""
        fault = Fault(trouble, frozenset(calls), every, times, until, answer_lost)
        with self.held() as state:
            state.faults.append(fault)
        return fault

    def calm(self) -> None:
        """Have no fault any more; revoked tokens are welcome again."""
        with self.held() as state:
            state.faults.clear()
            state.revoked_tokens.clear()

    def calls(self, *names: str) -> list[Call]:
        """The calls of the port so far, of these names where some are given."""
        with self.held() as state:
            return [call for call in state.calls if not names or call.name in names]

    def take_events(self) -> list[Event]:
        """What webhooks would have told since the last time, in order."""
        with self.held() as state:
            taken, state.events = state.events, []
            return taken

    def _move(self, full_name: str, new_name: str, kind: EventKind) -> HostRepository:
        with self.held() as state:
            stored = state.by_name(full_name)
            former = stored.seen.full_name
            stored.former_names.append(former.lower())
            stored.seen = replace(stored.seen, full_name=new_name)
            for number, pull in stored.pull_requests.items():
                if pull.head_repository == former:
                    stored.pull_requests[number] = replace(pull, head_repository=new_name)
            self._tell(state, stored, kind)
            return stored.seen

    def _note(
        self, state: State, stored: StoredRepository, pull: HostPullRequest
    ) -> HostPullRequest:
        moment = now()
        if state.last_moment is not None and moment <= state.last_moment:
            # Two changes never share a moment, however coarse the clock is.
            moment = state.last_moment + timedelta(microseconds=1)
        state.last_moment = moment
        noted = replace(pull, updated_at=moment)
        stored.pull_requests[pull.number] = noted
        self._tell(state, stored, "pull_request", pull_request=noted)
        return noted

    def _tell(
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


def world_of(address: str, *, fresh: bool = False) -> MemoryWorld:
    """The world at ``memory://name``, the same for everybody in this process.

    ``fresh`` replaces it by an empty one, as each test wants it.
    """
    with _worlds_lock:
        if fresh or address not in _worlds:
            _worlds[address] = MemoryWorld(address)
        return _worlds[address]
