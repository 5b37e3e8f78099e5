"""Record which images of screenshots API clients have fetched, as evidence for their decisions."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from django.db import connection

from visual_review.builds.models import Screenshot
from visual_review.builds.models.image_views import FORM_LENGTH
from visual_review.builds.states import EXPIRED
from visual_review.kernel.clock import now

ViewedSide = Literal["before", "after"]
# The lock makes sure that a screenshot whose build is deleted at this moment gets no view. A
# screenshot that was compared again meanwhile keeps the pair that was shown.
_RECORD: Final = """
WITH shots AS (
    SELECT shot.id, shot.build_id
    FROM builds_screenshot AS shot JOIN builds_build AS build ON build.id = shot.build_id
    WHERE shot.id = ANY(%(shots)s) AND build.status <> %(deleted)s
    FOR KEY SHARE OF shot
)
INSERT INTO builds_imageview AS known (
    build_id, screenshot_id, viewer, client, client_version, form,
    before_image, after_image, before_sha256, after_sha256, scale, viewed_at
)
SELECT
    shots.build_id, shots.id, %(viewer)s, %(client)s, %(version)s, view.form,
    view.before_image, view.after_image,
    CASE WHEN view.shows_before THEN coalesce(before.sha256, '') ELSE '' END,
    CASE WHEN view.shows_after THEN coalesce(after.sha256, '') ELSE '' END,
    view.scale, %(now)s
FROM unnest(
    %(shots)s::varchar[], %(forms)s::varchar[], %(before)s::bigint[], %(after)s::bigint[],
    %(shows_before)s::boolean[], %(shows_after)s::boolean[], %(scales)s::float8[]
) AS view (shot_id, form, before_image, after_image, shows_before, shows_after, scale)
JOIN shots ON shots.id = view.shot_id
LEFT JOIN builds_image AS before ON before.id = view.before_image
LEFT JOIN builds_image AS after ON after.id = view.after_image
ON CONFLICT (
    build_id, viewer, screenshot_id, form, before_image, after_image, client, client_version
) DO UPDATE SET
    before_sha256 = greatest(known.before_sha256, excluded.before_sha256),
    after_sha256 = greatest(known.after_sha256, excluded.after_sha256),
    scale = greatest(known.scale, excluded.scale),
    viewed_at = excluded.viewed_at
"""


@dataclass(frozen=True)
class Viewer:
    """Who fetches images: the id of an API key, grant or user, and the program that it uses."""

    id: str
    client: str = ""
    client_version: str = ""


@dataclass(frozen=True)
class View:
    """One image that was shown of a screenshot, as it was loaded to show it.

    ``form`` is ``sheet``, ``composite``, ``whole``, ``before``, ``after`` or ``diff``. ``scale`` is
    that of the image: 1.0 shows every pixel. ``sides`` are those that were visible; a difference
    alone shows neither.
    """

    screenshot: Screenshot
    form: str
    scale: float
    sides: Collection[ViewedSide]


def record_views(viewer: Viewer, views: Sequence[View]) -> None:
    """Record what ``viewer`` has been shown, in one statement; views of deleted rows are skipped."""
    # A statement may update each row only once.
    found = {(view.screenshot.pk, view.form): view for view in views}
    if not found or not viewer.id:
        return
    with connection.cursor() as cursor:
        cursor.execute(_RECORD, _parameters(viewer, list(found.values())))


def _parameters(viewer: Viewer, views: Sequence[View]) -> dict[str, Any]:
    return {
        "viewer": viewer.id,
        "client": viewer.client[:300],
        "version": viewer.client_version[:100],
        "deleted": EXPIRED,
        "now": now(),
        "shots": [view.screenshot.pk for view in views],
        "forms": [view.form[:FORM_LENGTH] for view in views],
        "before": [view.screenshot.baseline_image_id or 0 for view in views],
        "after": [view.screenshot.image_id or 0 for view in views],
        "shows_before": ["before" in view.sides for view in views],
        "shows_after": ["after" in view.sides for view in views],
        "scales": [view.scale for view in views],
    }
