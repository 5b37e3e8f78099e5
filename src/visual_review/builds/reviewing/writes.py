"""The writes of a decision: rows of screenshots, and the review log.

The log keeps every decision. The baseline of the branch is locked first, then the build.
"""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db import connection
from psycopg import sql

from visual_review.builds.bulk_update import BATCH_SIZE
from visual_review.builds.models import Build, DecisionBatch, ReviewEntry, Screenshot
from visual_review.builds.reviewing.approval import Decider
from visual_review.builds.reviewing.evidence import Viewer, encode_program
from visual_review.builds.states import CLEARED, UNDONE
from visual_review.kernel.clock import now

# The decision on each screenshot of ``decided``, in one statement: creating and inserting 12,000
# rows here takes more than a second. For a decision through the API, each entry has the images of
# its pair fetched by the program; looked up one by one, because a join of thousands may be planned
# as a nested loop. No one has to look at an unchanged screenshot.
_LOG_DECISION: Final = sql.SQL("""
    INSERT INTO builds_reviewentry (
        build_id, screenshot_id, story_id, theme, device, left_image_id, right_image_id,
        baseline_id, decision, source, decided_by_id, decided_by_name, client, comment, decided_at,
        evidence, along_with_build
    )
    SELECT
        decided.build_id, id, story_id, theme, device, baseline_image_id, image_id,
        %s::varchar, %s, %s, %s, %s, %s, %s, %s,
        CASE WHEN viewed.images IS NOT NULL OR diff_state <> 'unchanged' THEN
            %s::jsonb || jsonb_strip_nulls(jsonb_build_object(
                'images', coalesce(viewed.images, '[]'::jsonb),
                'places', viewed.places,
                'seen', CASE WHEN viewed.places IS NOT NULL THEN (
                    SELECT count(DISTINCT place)
                    FROM jsonb_array_elements(viewed.seen) AS each,
                        jsonb_array_elements(each) AS place
                ) END
            ))
        END,
        %s AND diff_state = 'removed'
    FROM decided LEFT JOIN LATERAL (
        SELECT
            jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
                'form', form, 'scale', scale, 'rectangles', rectangles,
                'before', nullif(before_sha256, ''), 'after', nullif(after_sha256, '')
            )) ORDER BY form, id) AS images,
            max(places) AS places,
            jsonb_agg(seen) FILTER (WHERE comparison = coalesce(decided.comparison_id, 0)) AS seen
        FROM builds_imageview
        WHERE build_id = %s AND viewer = %s AND screenshot_id = decided.id
            AND before_image = coalesce(decided.baseline_image_id, 0)
            AND after_image = coalesce(decided.image_id, 0)
    ) AS viewed ON true
    ORDER BY story_id, theme, device
    RETURNING id, screenshot_id, evidence
""")
# The columns of ``WrittenEntries``.
_SELECT_WRITTEN: Final = sql.SQL("""
    SELECT
        count(*), min(id), count(*) FILTER (WHERE evidence -> 'images' = '[]'::jsonb),
        (SELECT evidence FROM logged WHERE evidence IS NOT NULL LIMIT 1),
        coalesce((SELECT id FROM logged_build), max(id))
    FROM logged
""")
_DECIDE: Final = sql.SQL("""
    WITH decided AS (UPDATE builds_screenshot SET {values} WHERE id = ANY(%s) RETURNING *),
    logged AS ({log}), logged_build AS ({log_build}) {select}
""")
# The count waits for the screenshots: the decision on the build comes after theirs.
_LOG_BUILD: Final = sql.SQL("""
    INSERT INTO builds_reviewentry (
        build_id, story_id, theme, device,
        decision, source, decided_by_id, decided_by_name, client, comment, decided_at, evidence
    )
    SELECT %s, '', '', '', %s, %s, %s, %s, %s, %s, %s, %s::jsonb
    FROM (SELECT count(*) FROM logged) AS screenshots
    WHERE %s
    RETURNING id
""")
# The undone entries are marked with the ids of the undoing entries.
_UNDO: Final = sql.SQL("""
    WITH decided AS (SELECT * FROM builds_screenshot WHERE id = ANY(%s)),
    logged AS ({log}), logged_build AS ({log_build}),
    undoing AS (
        SELECT id, screenshot_id FROM logged UNION ALL SELECT id, '' FROM logged_build
    ),
    marked AS (
        UPDATE builds_reviewentry AS entry SET undone_by = undoing.id FROM undoing
        WHERE entry.build_id = %s AND entry.id BETWEEN %s AND %s
            AND coalesce(entry.screenshot_id, '') = undoing.screenshot_id
    )
    {select}
""").format(log=_LOG_DECISION, log_build=_LOG_BUILD, select=_SELECT_WRITTEN)
UNDECIDED: Final[dict[str, Any]] = {
    "review_decision": "",
    "decision_source": "",
    "decided_by_id": "",
    "decided_by_name": "",
    "decided_client": "",
    "decided_at": None,
    "comment": "",
    "carried_from_id": "",
}


@dataclass(frozen=True)
class LoggedDecision:
    """A decision for the log; ``source`` is its origin.

    A decision through the API has a ``viewer``, who may have fetched images. ``along_with_build``:
    its removals were undecided when the last decision approved their build.
    """

    decision: str
    source: str
    by_id: str
    by_name: str
    client: str
    comment: str = ""
    viewer: Viewer | None = None
    along_with_build: bool = False

    @classmethod
    def by(
        cls,
        decider: Decider,
        decision: str,
        comment: str = "",
        *,
        along_with_build: bool = False,
    ) -> "LoggedDecision":
        return cls(
            decision,
            decider.source,
            decider.id,
            decider.name,
            decider.client,
            comment,
            decider.viewer,
            along_with_build,
        )

    @classmethod
    def stored_in(cls, shot: Screenshot, source: str) -> "LoggedDecision":
        """Return the decision in the screenshot's row, with the given source."""
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
    """How many entries on screenshots were written, and the id of the first, None without any.

    ``unseen`` counts the entries on screenshots without a fetched image, and ``evidence`` is any
    entry's evidence, as JSON. ``last`` is the id of the last entry, the build's own entry for a
    decision on the build.
    """

    count: int = 0
    first: int | None = None
    unseen: int = 0
    evidence: str | None = None
    last: int | None = None


def write_decision(
    build: Build,
    screenshot_ids: Collection[str],
    logged: LoggedDecision,
    *,
    logs_build: bool = False,
) -> WrittenEntries:
    """Write the decision to each screenshot of the locked build, and to the log.

    A cleared decision makes the screenshots undecided again; the log keeps the earlier decision.
    ``logs_build``: the decision is on the build itself, too.
    """
    moment = now()
    columns = UNDECIDED if logged.decision == CLEARED else _columns(logged, moment)
    values = sql.SQL(", ").join(
        sql.SQL("{} = {}").format(sql.Identifier(name), sql.Placeholder()) for name in columns
    )
    statement = _DECIDE.format(
        values=values, log=_LOG_DECISION, log_build=_LOG_BUILD, select=_SELECT_WRITTEN
    )
    parameters = _parameters(build, logged, moment, logs_build=logs_build)
    return _execute(statement, [*columns.values(), list(screenshot_ids), *parameters])


def _columns(logged: LoggedDecision, moment: datetime) -> dict[str, Any]:
    return {
        "review_decision": logged.decision,
        "decision_source": logged.source,
        "decided_by_id": logged.by_id,
        "decided_by_name": logged.by_name,
        "decided_client": logged.client,
        "decided_at": moment,
        # An approval clears the comment of an earlier rejection; the log keeps the comment.
        "comment": logged.comment,
        "carried_from_id": "",
    }


def log_undo(
    build: Build,
    screenshot_ids: Collection[str],
    decider: Decider,
    undone: DecisionBatch,
    *,
    logs_build: bool,
) -> WrittenEntries:
    """Log the undo of the decision on each screenshot, and mark the decision in the log."""
    logged = LoggedDecision.by(decider, UNDONE)
    parameters = _parameters(build, logged, now(), logs_build=logs_build)
    entries = (build.pk, undone.first_entry, undone.last_entry)
    return _execute(_UNDO, [list(screenshot_ids), *parameters, *entries])


def _execute(statement: sql.Composed, parameters: Sequence[Any]) -> WrittenEntries:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        count, first, unseen, evidence, last = cursor.fetchone()
    return WrittenEntries(count, first or last, unseen, evidence, last)


def _parameters(
    build: Build, logged: LoggedDecision, moment: datetime, *, logs_build: bool
) -> tuple[Any, ...]:
    """Return the parameters of ``_LOG_DECISION`` and ``_LOG_BUILD``."""
    program = encode_program(logged.viewer)
    entry = (
        logged.decision,
        logged.source,
        logged.by_id,
        logged.by_name,
        logged.client,
        logged.comment,
        moment,
        None if program is None else json.dumps(program),
    )
    viewer = logged.viewer.id if logged.viewer else ""
    return (
        *(build.baseline_id, *entry, logged.along_with_build, build.pk, viewer),
        *(build.pk, *entry, logs_build),
    )


def log_screenshot_decisions(
    build: Build, decisions: Iterable[tuple[Screenshot, LoggedDecision]]
) -> list[ReviewEntry]:
    """Log decisions on screenshots, each with its pair of images."""
    return ReviewEntry.objects.bulk_create(
        [_entry(build, decision, shot) for shot, decision in decisions], batch_size=BATCH_SIZE
    )


def _entry(build: Build, logged: LoggedDecision, shot: Screenshot) -> ReviewEntry:
    return ReviewEntry(
        build=build,
        screenshot=shot,
        baseline_id=build.baseline_id,
        story_id=shot.story_id,
        theme=shot.theme,
        device=shot.device,
        left_image_id=shot.baseline_image_id,
        right_image_id=shot.image_id,
        decision=logged.decision,
        source=logged.source,
        decided_by_id=logged.by_id,
        decided_by_name=logged.by_name,
        client=logged.client,
        comment=logged.comment,
        evidence=encode_program(logged.viewer),
        along_with_build=logged.along_with_build,
    )
