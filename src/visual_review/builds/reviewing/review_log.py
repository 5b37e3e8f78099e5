"""Write decisions to the review log, which keeps every one of them."""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Final

from django.db import connection
from psycopg import sql

from visual_review.builds.bulk_update import BATCH_SIZE
from visual_review.builds.models import Build, ReviewEntry, Screenshot
from visual_review.builds.reviewing.approval import Decider
from visual_review.builds.reviewing.evidence import encode_program
from visual_review.builds.reviewing.image_views import Viewer
from visual_review.kernel.clock import now

# The decision on each screenshot of ``decided``, in one statement: creating and inserting 12,000
# rows here takes more than a second. Of a decision through the API, each entry has the images of
# that very pair which the program had fetched; looked up one by one, because a join of thousands
# may be planned as a nested loop. No one has to look at an unchanged screenshot.
LOG_DECISION: Final = sql.SQL("""
    INSERT INTO builds_reviewentry (
        build_id, screenshot_id, story_id, theme, device, left_image_id, right_image_id,
        baseline_id, decision, source, decided_by_id, decided_by_name, client, comment, decided_at,
        evidence
    )
    SELECT
        decided.build_id, id, story_id, theme, device, baseline_image_id, image_id,
        %s::varchar, %s, %s, %s, %s, %s, %s, %s,
        CASE WHEN viewed.images IS NOT NULL OR diff_state <> 'unchanged' THEN
            %s::jsonb || jsonb_build_object('images', coalesce(viewed.images, '[]'::jsonb))
        END
    FROM decided LEFT JOIN LATERAL (
        SELECT jsonb_agg(
            jsonb_strip_nulls(jsonb_build_object(
                'form', form, 'scale', scale, 'before', nullif(before, ''), 'after', nullif(after, '')
            )) ORDER BY form
        ) AS images
        FROM (
            SELECT form, max(scale) AS scale, max(before_sha256) AS before, max(after_sha256) AS after
            FROM builds_imageview
            WHERE build_id = %s AND viewer = %s AND screenshot_id = decided.id
                AND before_image = coalesce(decided.baseline_image_id, 0)
                AND after_image = coalesce(decided.image_id, 0)
            GROUP BY form
        ) AS forms
    ) AS viewed ON true
    ORDER BY story_id, theme, device
    RETURNING id, evidence
""")
# What ``WrittenEntries`` consists of.
SELECT_WRITTEN: Final = sql.SQL("""
    SELECT
        count(*), min(id), max(id), count(*) FILTER (WHERE evidence -> 'images' = '[]'::jsonb),
        (SELECT evidence FROM logged WHERE evidence IS NOT NULL LIMIT 1)
    FROM logged
""")
_LOG_ONE_DECISION: Final = sql.SQL("""
    WITH decided AS (SELECT * FROM builds_screenshot WHERE id = ANY(%s)), logged AS ({log}) {select}
""").format(log=LOG_DECISION, select=SELECT_WRITTEN)


@dataclass(frozen=True)
class LoggedDecision:
    """A decision as the log keeps it; ``source`` is how it came about.

    One through the API has a ``viewer``, who may have fetched images.
    """

    decision: str
    source: str
    by_id: str
    by_name: str
    client: str
    comment: str = ""
    viewer: Viewer | None = None

    @classmethod
    def by(cls, decider: Decider, decision: str, comment: str = "") -> "LoggedDecision":
        return cls(
            decision,
            decider.source,
            decider.id,
            decider.name,
            decider.client,
            comment,
            decider.viewer,
        )

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
    """How many entries were written, and the ids of the first and the last, None without any.

    ``unseen`` counts those on screenshots of which the program had fetched no image, and
    ``evidence`` is that of any entry, as JSON.
    """

    count: int = 0
    first: int | None = None
    last: int | None = None
    unseen: int = 0
    evidence: str | None = None


def log_one_decision(
    build: Build, screenshot_ids: Collection[str], logged: LoggedDecision
) -> WrittenEntries:
    """Log the same decision on each of these screenshots of the locked build."""
    if not screenshot_ids:
        return WrittenEntries()
    with connection.cursor() as cursor:
        parameters = [list(screenshot_ids), *log_parameters(build, logged)]
        cursor.execute(_LOG_ONE_DECISION, parameters)
        return WrittenEntries(*cursor.fetchone())


def log_parameters(build: Build, logged: LoggedDecision) -> tuple[Any, ...]:
    """Return the values that ``LOG_DECISION`` takes."""
    viewer = logged.viewer.id if logged.viewer else ""
    return (build.baseline_id, *values_of(logged), build.pk, viewer)


def values_of(logged: LoggedDecision) -> tuple[Any, ...]:
    """Return the values that an entry on the whole build has, too."""
    program = encode_program(logged.viewer)
    return (
        logged.decision,
        logged.source,
        logged.by_id,
        logged.by_name,
        logged.client,
        logged.comment,
        now(),
        None if program is None else json.dumps(program),
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
        evidence=encode_program(logged.viewer),
    )
    if shot is not None:
        entry.screenshot, entry.baseline_id = shot, build.baseline_id
        entry.story_id, entry.theme, entry.device = shot.story_id, shot.theme, shot.device
        entry.left_image_id, entry.right_image_id = shot.baseline_image_id, shot.image_id
    return entry
