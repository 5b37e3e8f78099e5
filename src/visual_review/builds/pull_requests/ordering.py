"""The newest snapshot of a pull request; pure.

Providers deliver events in any order, and more than once. Events are ordered by the provider's own
time, so that the order of arrival does not change the result.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

OPEN: Final = "open"
CLOSED: Final = "closed"
MERGED: Final = "merged"
# At the same time, the later step in a pull request's life counts.
_STEPS: Final = {OPEN: 0, CLOSED: 1, MERGED: 2}
_NEVER: Final = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class PullRequestSnapshot:
    """A pull request at ``updated_at``, by the provider's clock; None if no time was sent.

    ``head_repository`` names a fork, and is empty for the connected repository itself.
    """

    number: int
    title: str = ""
    description: str = ""
    state: str = OPEN
    head_branch: str = ""
    head_repository: str = ""
    head_commit: str = ""
    base_branch: str = ""
    merge_commit: str = ""
    updated_at: datetime | None = None


def newest_snapshot(
    known: PullRequestSnapshot | None, event: PullRequestSnapshot
) -> PullRequestSnapshot:
    """Return the newer snapshot; the result does not depend on the order of events."""
    if known is None or _sort_key(event) > _sort_key(known):
        return event
    return known


def snapshot_after_refresh(
    known: PullRequestSnapshot | None, response: PullRequestSnapshot
) -> PullRequestSnapshot:
    """Return the API's response, unless an event since then was newer."""
    if known is None:
        return response
    if response.updated_at is None:
        return replace(response, updated_at=known.updated_at)
    older = known.updated_at is not None and response.updated_at < known.updated_at
    return known if older else response


def order_is_uncertain(known: PullRequestSnapshot | None, event: PullRequestSnapshot) -> bool:
    """Return whether the API must be asked: the order or the merge commit is unknown."""
    if event.updated_at is None or (event.state == MERGED and not event.merge_commit):
        return True
    return known is not None and known != event and known.updated_at == event.updated_at


def _sort_key(snapshot: PullRequestSnapshot) -> tuple[bool, datetime, int, tuple[str, ...]]:
    # Merged is final. The other fields only make the order of equals deterministic.
    fields = (
        snapshot.title,
        snapshot.base_branch,
        snapshot.head_branch,
        snapshot.head_repository,
        snapshot.head_commit,
        snapshot.merge_commit,
        snapshot.description,
    )
    return snapshot.state == MERGED, snapshot.updated_at or _NEVER, _STEPS[snapshot.state], fields
