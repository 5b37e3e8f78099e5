"""Write decisions to the review log, which keeps every one of them."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Final

from django.db import connection
from psycopg import sql

from visual_review.builds.bulk_update import BATCH_SIZE
from visual_review.builds.models import Build, ReviewEntry, Screenshot
from visual_review.builds.reviewing.approval import Decider
from visual_review.kernel.clock import now

# The decision on each screenshot of {rows}, in one statement: creating and inserting 12,000 rows
# here takes more than a second.
LOG_DECISION: Final = sql.SQL("""
    INSERT INTO builds_reviewentry (
        build_id, screenshot_id, story_id, theme, device, left_image_id, right_image_id,
        baseline_id, decision, source, decided_by_id, decided_by_name, client, comment, decided_at
    )
    SELECT
        build_id, id, story_id, theme, device, baseline_image_id, image_id,
        %s::varchar, %s, %s, %s, %s, %s, %s, %s
    FROM {rows}
    ORDER BY story_id, theme, device
    RETURNING id
""")
_LOG_ONE_DECISION: Final = sql.SQL(
    "WITH written AS ({}) SELECT count(*), min(id), max(id) FROM written"
).format(LOG_DECISION.format(rows=sql.SQL("builds_screenshot WHERE id = ANY(%s)")))


@dataclass(frozen=True)
class LoggedDecision:
    """A decision as the log keeps it; ``source`` is how it came about."""

    decision: str
    source: str
    by_id: str
    by_name: str
    client: str
    comment: str = ""

    @classmethod
    def by(cls, decider: Decider, decision: str, comment: str = "") -> "LoggedDecision":
        return cls(decision, decider.source, decider.id, decider.name, decider.client, comment)

    @classmethod
    def stored_in(cls, shot: Screenshot, source: str) -> "LoggedDecision":
        """Return the decision that the screenshot's row has, as one of this source."""
        return cls(
            shot.review_decision,
            source,
            shot.decided_by_id,
            shot.decided_by_name,
            shot.decided_client,
            shot.comment,
        )


@dataclass(frozen=True)
class WrittenEntries:
    """How many entries were written, and the ids of the first and the last, None without any."""

    count: int = 0
    first: int | None = None
    last: int | None = None


def log_one_decision(
    build: Build, screenshot_ids: Collection[str], logged: LoggedDecision
) -> WrittenEntries:
    """Log the same decision on each of these screenshots of the locked build."""
    if not screenshot_ids:
        return WrittenEntries()
    with connection.cursor() as cursor:
        cursor.execute(_LOG_ONE_DECISION, [*values_of(build, logged), list(screenshot_ids)])
        return WrittenEntries(*cursor.fetchone())


def values_of(build: Build, logged: LoggedDecision) -> tuple[Any, ...]:
    """Return the values that ``LOG_DECISION`` takes."""
    return (
        build.baseline_id,
        logged.decision,
        logged.source,
        logged.by_id,
        logged.by_name,
        logged.client,
        logged.comment,
        now(),
    )


def log_screenshot_decisions(
    build: Build, decisions: Iterable[tuple[Screenshot, LoggedDecision]]
) -> list[ReviewEntry]:
    """Log decisions on screenshots, each with the pair of images that it was made on."""
    return ReviewEntry.objects.bulk_create(
        [_entry(build, decision, shot) for shot, decision in decisions], batch_size=BATCH_SIZE
    )


def log_build_decision(build: Build, decision: LoggedDecision) -> int:
    """Log a decision on the whole build; return the entry's id."""
    entry = _entry(build, decision, None)
    entry.save()
    return entry.pk


def _entry(build: Build, logged: LoggedDecision, shot: Screenshot | None) -> ReviewEntry:
    entry = ReviewEntry(
        build=build,
        decision=logged.decision,
        source=logged.source,
        decided_by_id=logged.by_id,
        decided_by_name=logged.by_name,
        client=logged.client,
        comment=logged.comment,
    )
    if shot is not None:
        entry.screenshot, entry.baseline_id = shot, build.baseline_id
        entry.story_id, entry.theme, entry.device = shot.story_id, shot.theme, shot.device
        entry.left_image_id, entry.right_image_id = shot.baseline_image_id, shot.image_id
    return entry
