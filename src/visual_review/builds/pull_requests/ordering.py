"""What news of a pull request mean, given what is known of it; pure.

Hosts deliver in any order, and more than once. Two news are put in order by the host's own time,
so that whatever order they come in, the same of them stands in the end.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

OPEN: Final = "open"
CLOSED: Final = "closed"
MERGED: Final = "merged"
# Of one moment, the later step of a pull request's life counts.
_STEPS: Final = {OPEN: 0, CLOSED: 1, MERGED: 2}
_NEVER: Final = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class PullRequestSnapshot:
    """A pull request as the host had it at ``updated_at``, its own time; None where it told none.

    ``head_repository`` names a fork, and is empty for the connected repository itself.
    """

    number: int
    title: str = ""
    state: str = OPEN
    head_branch: str = ""
    head_repository: str = ""
    head_commit: str = ""
    base_branch: str = ""
    merge_commit: str = ""
    updated_at: datetime | None = None


def newest(known: PullRequestSnapshot | None, told: PullRequestSnapshot) -> PullRequestSnapshot:
    """What is known after the host told something; the same in whatever order it tells."""
    if known is None or _place(told) > _place(known):
        return told
    return known


def snapshot_after_refresh(
    known: PullRequestSnapshot | None, answer: PullRequestSnapshot
) -> PullRequestSnapshot:
    """What is known after the host was asked: its answer, unless it told newer things since."""
    if known is None:
        return answer
    if answer.updated_at is None:
        return replace(answer, updated_at=known.updated_at)
    older = known.updated_at is not None and answer.updated_at < known.updated_at
    return known if older else answer


def order_is_uncertain(known: PullRequestSnapshot | None, told: PullRequestSnapshot) -> bool:
    """Whether the host must be asked: the order cannot be told, or what a merge made is left out."""
    if told.updated_at is None or (told.state == MERGED and not told.merge_commit):
        return True
    return known is not None and known != told and known.updated_at == told.updated_at


def _place(news: PullRequestSnapshot) -> tuple[bool, datetime, int, tuple[str, ...]]:
    # What was merged stays so. The rest only makes the order of equals the same each time.
    facts = (
        news.title,
        news.base_branch,
        news.head_branch,
        news.head_repository,
        news.head_commit,
        news.merge_commit,
    )
    return news.state == MERGED, news.updated_at or _NEVER, _STEPS[news.state], facts
