"""Decisions on a build's screenshots before the current ones, from the review log."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from django.db import connection

from visual_review.builds.models import Build
from visual_review.builds.review_history import LogEntry, effective_entries
from visual_review.builds.states import DECISIONS
from visual_review.builds.variants import VariantKey

# Of decisions by users and keys. Others repeat one of them: carried over from another build, or
# kept for another base branch.
OWN_SOURCES: Final = frozenset({"user", "api_key", "mcp"})
# Most screenshots were decided once and without a comment, in which case the screenshot's row says
# it all: after an approval of 12,000 of them none is read. By story and variant, because a
# screenshot is replaced when the base branch changes. Its row is looked up and not joined: a plan
# for a build with few entries would take minutes for thousands.
_ENTRIES: Final = """
SELECT
    id, build_id, story_id, theme, device, decision, source,
    decided_by_name, client, decided_at, comment
FROM (
    SELECT *, count(*) OVER (PARTITION BY story_id, theme, device) AS entries
    FROM builds_reviewentry
    WHERE build_id = %s AND story_id <> ''
) AS logged
WHERE entries > 1 OR comment <> '' OR decision IS DISTINCT FROM (
    SELECT review_decision FROM builds_screenshot WHERE id = logged.screenshot_id
)
ORDER BY id
"""


class LoggedDecisionRow(NamedTuple):
    """An entry of the review log; its fields have the order of the query."""

    id: int
    build_id: str
    story_id: str
    theme: str
    device: str
    decision: str
    source: str
    decided_by_name: str
    client: str
    decided_at: datetime
    comment: str

    @property
    def key(self) -> VariantKey:
        return VariantKey(self.story_id, self.theme, self.device)


DecisionsByKey = Mapping[VariantKey, Sequence[LoggedDecisionRow]]


class EarlierDecisions(NamedTuple):
    """How many there are before the current decision, and the newest with a comment."""

    number: int
    commented: LoggedDecisionRow | None


NO_EARLIER: Final = EarlierDecisions(0, None)


def decisions_before(
    logged: Sequence[LoggedDecisionRow], decision: str, source: str
) -> EarlierDecisions:
    """Return those of ``logged`` before the current decision, which has this source."""
    # The log also has the current one, as the newest; a carried-over one is not in ``logged``.
    is_own = bool(decision) and source in OWN_SOURCES
    earlier = logged[:-1] if is_own else logged
    commented = next((row for row in reversed(earlier) if row.comment), None)
    return EarlierDecisions(len(earlier), commented)


def logged_decisions(build: Build) -> DecisionsByKey:
    """Return the decisions that the screenshots' rows do not show; most of them have none."""
    with connection.cursor() as cursor:
        cursor.execute(_ENTRIES, [build.id])
        return own_decisions(LoggedDecisionRow(*row) for row in cursor.fetchall())


def own_decisions(entries: Iterable[LoggedDecisionRow]) -> DecisionsByKey:
    """Return the decisions by users and keys that were not undone, the newest last."""
    rows = {row.id: row for row in entries}
    found: dict[VariantKey, list[LoggedDecisionRow]] = defaultdict(list)
    effective = effective_entries(
        LogEntry(row.id, row.build_id, row.key, row.decision) for row in rows.values()
    )
    for entry in effective:
        row = rows[entry.id]
        if row.decision in DECISIONS and row.source in OWN_SOURCES:
            found[row.key].append(row)
    return found
