"""Decisions on a build's screenshots before the current ones, counted in the review log."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.db import connection

from visual_review.builds.models import Build
from visual_review.builds.states import DECISIONS

# Decisions by users and keys. Other entries repeat such a decision: carried over from another
# build, or kept for another base branch.
OWN_SOURCES: Final = frozenset({"user", "api_key", "mcp"})
# One row for all screenshots with as many decisions and without comments, because thousands are
# decided at once; and one row for each screenshot with a comment. By story and variant, because a
# screenshot is replaced when the base branch changes, and its former entries then refer to no
# screenshot. Rows looked up by id are not joined: a plan for a build with few entries would take
# minutes for thousands. Texts are ordered by their bytes, which is faster; the index of screenshots
# only serves the default order.
_DECISIONS: Final = """
WITH standing AS (
    SELECT
        id, screenshot_id, comment <> '' AS commented,
        story_id COLLATE "C" AS story, theme COLLATE "C" AS theme, device COLLATE "C" AS device,
        row_number() OVER (
            PARTITION BY story_id COLLATE "C", theme COLLATE "C", device COLLATE "C" ORDER BY id DESC
        ) AS place
    FROM builds_reviewentry
    WHERE build_id = %(build)s AND story_id <> '' AND undone_by IS NULL
        AND decision = ANY(%(decisions)s) AND source = ANY(%(sources)s)
), variants AS MATERIALIZED (
    SELECT
        count(*) AS number,
        max(id) FILTER (WHERE commented) AS newest,
        max(id) FILTER (WHERE commented AND place > 1) AS before,
        coalesce(max(screenshot_id), (
            SELECT shot.id FROM builds_screenshot AS shot
            WHERE shot.build_id = %(build)s AND shot.story_id = story COLLATE "default"
                AND shot.theme = standing.theme COLLATE "default"
                AND shot.device = standing.device COLLATE "default"
        )) AS shot
    FROM standing
    GROUP BY story, theme, device
), alike AS (
    SELECT number, newest, before, array_agg(shot) AS shots
    FROM variants
    WHERE shot IS NOT NULL
    GROUP BY number, newest, before
)
SELECT shots, number, newest.*, before.*
FROM alike
LEFT JOIN LATERAL (
    SELECT decision, source, decided_by_name, client, decided_at, comment
    FROM builds_reviewentry WHERE id = alike.newest OFFSET 0
) AS newest ON true
LEFT JOIN LATERAL (
    SELECT decision, source, decided_by_name, client, decided_at, comment
    FROM builds_reviewentry WHERE id = alike.before OFFSET 0
) AS before ON true
"""


class LoggedComment(NamedTuple):
    """A decision with a comment; the fields have the order of the query."""

    decision: str
    decision_source: str
    decided_by_name: str
    decided_client: str
    decided_at: datetime
    comment: str


class LoggedDecisions(NamedTuple):
    """Decisions by users and keys on a screenshot, without undone ones.

    ``newest`` is the newest decision with a comment, ``before_last`` the newest with a comment
    before the last decision.
    """

    number: int
    newest: LoggedComment | None
    before_last: LoggedComment | None


# By the ids of the screenshots; screenshots without decisions are left out.
DecisionsByShot = Mapping[str, LoggedDecisions]


class EarlierDecisions(NamedTuple):
    """How many there are before the current decision, and the newest with a comment."""

    number: int
    commented: LoggedComment | None


NO_EARLIER: Final = EarlierDecisions(0, None)


def decisions_before(logged: LoggedDecisions, decision: str, source: str) -> EarlierDecisions:
    """Return the part of ``logged`` before the current decision with the given source."""
    # The log also has the current one, as the last; a carried-over one is not in ``logged``.
    if decision and source in OWN_SOURCES:
        return EarlierDecisions(logged.number - 1, logged.before_last)
    return EarlierDecisions(logged.number, logged.newest)


def logged_decisions(build: Build) -> DecisionsByShot:
    """Return the decisions on each screenshot of the build."""
    parameters: dict[str, Any] = {
        "build": build.id,
        "decisions": list(DECISIONS),
        "sources": sorted(OWN_SOURCES),
    }
    found: dict[str, LoggedDecisions] = {}
    with connection.cursor() as cursor:
        cursor.execute(_DECISIONS, parameters)
        for shots, number, *comments in cursor.fetchall():
            width = len(LoggedComment._fields)
            newest, before = _comment(comments[:width]), _comment(comments[width:])
            found.update(dict.fromkeys(shots, LoggedDecisions(number, newest, before)))
    return found


def _comment(columns: list[Any]) -> LoggedComment | None:
    return None if columns[0] is None else LoggedComment(*columns)
