"""Decisions on a build's screenshots before the current ones, from the review log."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
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
# screenshot is replaced when the base branch changes.
_ENTRIES: Final = """
WITH entries AS (
    SELECT
        id, build_id, story_id, theme, device, decision, source,
        decided_by_name, client, decided_at, comment, screenshot_id
    FROM builds_reviewentry
    WHERE build_id = %s AND story_id <> ''
), known AS (
    SELECT entries.story_id, entries.theme, entries.device
    FROM entries LEFT JOIN builds_screenshot AS shots
        ON shots.id = entries.screenshot_id AND shots.build_id = entries.build_id
    GROUP BY entries.story_id, entries.theme, entries.device
    HAVING count(*) > 1
        OR bool_or(entries.comment <> '')
        OR bool_or(shots.review_decision IS DISTINCT FROM entries.decision)
)
SELECT
    id, build_id, story_id, theme, device, decision, source,
    decided_by_name, client, decided_at, comment
FROM entries JOIN known USING (story_id, theme, device)
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


@dataclass(frozen=True)
class ScreenshotHistory:
    """Decisions on a screenshot in its build, by users and keys; undone ones do not count.

    ``last_comment`` is the newest one with a comment, be it the current decision.
    """

    decisions: int
    last_comment: LoggedDecisionRow | None

    def count_earlier(self, decision: str, source: str) -> int:
        """Return the number of decisions before the current one, which has this source."""
        # The log also has the current one; a carried-over decision is not in ``decisions``.
        is_own = bool(decision) and source in OWN_SOURCES
        return max(0, self.decisions - is_own)


def screenshot_histories(build: Build) -> Mapping[VariantKey, ScreenshotHistory]:
    """Return what the screenshots' rows do not say: most of them are not in it."""
    with connection.cursor() as cursor:
        cursor.execute(_ENTRIES, [build.id])
        return summarize(LoggedDecisionRow(*row) for row in cursor.fetchall())


def summarize(entries: Iterable[LoggedDecisionRow]) -> dict[VariantKey, ScreenshotHistory]:
    """Return the history of each screenshot, given its entries in their order."""
    rows = {row.id: row for row in entries}
    found: dict[VariantKey, ScreenshotHistory] = {}
    standing = effective_entries(
        LogEntry(row.id, row.build_id, row.key, row.decision) for row in rows.values()
    )
    for entry in standing:
        row = rows[entry.id]
        if row.decision in DECISIONS and row.source in OWN_SOURCES:
            former = found.get(row.key, ScreenshotHistory(0, None))
            last = row if row.comment else former.last_comment
            found[row.key] = ScreenshotHistory(former.decisions + 1, last)
    return found
