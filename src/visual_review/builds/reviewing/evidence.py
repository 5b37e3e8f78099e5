"""Evidence of decisions through the API: the program, and the images it had fetched."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from django.db import connection
from django.db.models import OuterRef, Subquery

from visual_review.builds.images.stored_files import boxes_of, changes_of
from visual_review.builds.models import Build, ReviewEntry, Screenshot
from visual_review.builds.models.review_log import FORM_LENGTH
from visual_review.builds.review_history import effective_entries
from visual_review.builds.states import APPROVED, EXPIRED
from visual_review.imagediff import Box
from visual_review.imagediff.rendering.outline_choice import contains
from visual_review.kernel.clock import now

# In pixels of the screenshot: a larger area is looked at in several images, place by place.
LONGEST_SIDE: Final = 512
# Pixels shown per pixel of the screenshot; about the smallest scale of the service's own sheets.
SMALLEST_SCALE: Final = 0.33
ViewedSide = Literal["before", "after"]
# The most parts kept of one screenshot in one form.
MOST_RECTANGLES: Final = 100
# The lock makes sure that a screenshot of a build being deleted gets no view. A screenshot compared
# again meanwhile keeps the shown pair.
_RECORD: Final = """
WITH shots AS (
    SELECT shot.id, shot.build_id
    FROM builds_screenshot AS shot JOIN builds_build AS build ON build.id = shot.build_id
    WHERE shot.id = ANY(%(shots)s) AND build.status <> %(deleted)s
    FOR KEY SHARE OF shot
)
INSERT INTO builds_imageview AS known (
    build_id, screenshot_id, viewer, client, client_version, form,
    before_image, after_image, before_sha256, after_sha256, scale, rectangles,
    comparison, places, seen, viewed_at
)
SELECT
    shots.build_id, shots.id, %(viewer)s, %(client)s, %(version)s, view.form,
    view.before_image, view.after_image,
    CASE WHEN view.shows_before THEN coalesce(before.sha256, '') ELSE '' END,
    CASE WHEN view.shows_after THEN coalesce(after.sha256, '') ELSE '' END,
    view.scale, view.rectangles::jsonb, view.comparison, view.places, view.seen::jsonb, %(now)s
FROM unnest(
    %(shots)s::varchar[], %(forms)s::varchar[], %(before)s::bigint[], %(after)s::bigint[],
    %(shows_before)s::boolean[], %(shows_after)s::boolean[], %(scales)s::float8[],
    %(rectangles)s::text[], %(comparisons)s::bigint[], %(places)s::int[], %(seen)s::text[]
) AS view (
    shot_id, form, before_image, after_image, shows_before, shows_after, scale, rectangles,
    comparison, places, seen
)
JOIN shots ON shots.id = view.shot_id
LEFT JOIN builds_image AS before ON before.id = view.before_image
LEFT JOIN builds_image AS after ON after.id = view.after_image
ON CONFLICT (
    build_id, viewer, screenshot_id, form, before_image, after_image, client, client_version
) DO UPDATE SET
    before_sha256 = greatest(known.before_sha256, excluded.before_sha256),
    after_sha256 = greatest(known.after_sha256, excluded.after_sha256),
    scale = greatest(known.scale, excluded.scale),
    rectangles = CASE
        WHEN known.rectangles @> excluded.rectangles OR jsonb_array_length(known.rectangles) >= %(most)s
        THEN known.rectangles ELSE known.rectangles || excluded.rectangles
    END,
    comparison = excluded.comparison,
    places = excluded.places,
    -- Positions among the places of another comparison mean others.
    seen = CASE WHEN known.comparison <> excluded.comparison THEN excluded.seen ELSE (
        SELECT coalesce(jsonb_agg(DISTINCT place), '[]')
        FROM jsonb_array_elements(known.seen || excluded.seen) AS place
    ) END,
    viewed_at = excluded.viewed_at
"""
NOT_SEEN: Final = "without a look at what changed"
# Scales from here on round to every pixel.
_WHOLE: Final = 0.995
# Sources of decisions with evidence.
API_SOURCES: Final = ("api_key", "mcp")
# Each screenshot's newest approval in the log, if the approval still stands. All in one query: a
# build may have thousands.
_COUNT_UNSEEN: Final = """
SELECT count(*)
FROM (
    SELECT DISTINCT ON (screenshot_id) screenshot_id, evidence, decided_by_id, source
    FROM builds_reviewentry
    WHERE build_id = %(build)s AND decision = %(approved)s AND source = ANY(%(sources)s)
        AND screenshot_id IS NOT NULL AND undone_by IS NULL
    ORDER BY screenshot_id, id DESC
) AS newest
JOIN builds_screenshot AS shot ON shot.id = newest.screenshot_id
WHERE shot.review_decision = %(approved)s AND shot.decided_by_id = newest.decided_by_id
    AND shot.decision_source = newest.source AND newest.evidence -> 'images' = '[]'::jsonb
"""


def places_of(shot: Screenshot) -> list[Box]:
    """Return the changed, faint and moved areas, in parts; without any, all of the image.

    The screenshot has its images and its comparison loaded.
    """
    areas = [change.box for change in changes_of(shot.comparison)] or boxes_of(shot.comparison)
    image = shot.image or shot.baseline_image
    if not areas and image is not None:
        areas = [Box(0, 0, image.width, image.height)]
    return list(dict.fromkeys(part for area in areas for part in split(area)))


def split(area: Box) -> Iterator[Box]:
    """Yield parts that cover the area, none with a side of more than ``LONGEST_SIDE`` pixels."""
    for y in range(area.y, area.y + area.height, LONGEST_SIDE):
        for x in range(area.x, area.x + area.width, LONGEST_SIDE):
            yield Box(
                x,
                y,
                min(LONGEST_SIDE, area.x + area.width - x),
                min(LONGEST_SIDE, area.y + area.height - y),
            )


def find_visible(places: Sequence[Box], shown: Iterable[Box], scale: float) -> list[int]:
    """Return the positions of the places inside one of the shown rectangles."""
    if scale < SMALLEST_SCALE:
        return []
    rectangles = list(shown)
    return [
        position
        for position, place in enumerate(places)
        if any(contains(rectangle, place) for rectangle in rectangles)
    ]


@dataclass(frozen=True)
class Viewer:
    """The fetcher of images: the id of an API key, grant or user, and the program."""

    id: str
    client: str = ""
    client_version: str = ""


@dataclass(frozen=True)
class View:
    """One image shown of a screenshot, as loaded for showing."""

    screenshot: Screenshot
    # ``sheet``, ``composite``, ``whole``, ``before``, ``after`` or ``diff``.
    form: str
    # Of the image: 1.0 shows every pixel.
    scale: float
    # The visible sides; a difference alone shows neither.
    sides: Collection[ViewedSide]
    # The shown parts of the screenshot.
    rectangles: Sequence[Box] = ()


@dataclass(frozen=True)
class _Look:
    """A view with some of the ``places`` to look at, or with their difference only."""

    view: View
    places: int
    seen: Sequence[int]


def record_views(viewer: Viewer, views: Sequence[View]) -> None:
    """Record the views of ``viewer``, in one statement; views of deleted rows are skipped.

    An image without any place to look at is no look.
    """
    # A statement may update each row only once.
    found = {(view.screenshot.pk, view.form): view for view in views}
    looks = [look for look in map(_look_of, found.values()) if look.seen or not look.view.sides]
    if not looks or not viewer.id:
        return
    with connection.cursor() as cursor:
        cursor.execute(_RECORD, _parameters(viewer, looks))


def _look_of(view: View) -> _Look:
    places = places_of(view.screenshot)
    seen = find_visible(places, view.rectangles, view.scale) if view.sides else []
    return _Look(view, len(places), seen)


def _parameters(viewer: Viewer, looks: Sequence[_Look]) -> dict[str, Any]:
    views = [look.view for look in looks]
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
        "rectangles": [json.dumps(_encode_rectangles(view)) for view in views],
        "comparisons": [view.screenshot.comparison_id or 0 for view in views],
        "places": [look.places for look in looks],
        "seen": [json.dumps(look.seen) for look in looks],
        "most": MOST_RECTANGLES,
    }


def _encode_rectangles(view: View) -> list[list[float]]:
    scale = round(view.scale, 3)
    return [[box.x, box.y, box.width, box.height, scale] for box in view.rectangles]


@dataclass(frozen=True)
class SeenImage:
    """An image fetched before the decision, with the hashes of its visible sides.

    ``scale`` is 1.0 where every pixel was shown. A difference alone has neither side.
    """

    form: str
    scale: float
    before: str = ""
    after: str = ""


@dataclass(frozen=True)
class Evidence:
    """A decision on a whole build has no ``images`` (None): its screenshots have their own.

    ``seen`` of the ``places`` to look at were visible; no places are known of earlier decisions.
    """

    client: str
    version: str
    images: tuple[SeenImage, ...] | None = None
    places: int = 0
    seen: int = 0

    @property
    def program(self) -> str:
        return " ".join(filter(None, (self.client, self.version)))

    @property
    def is_unseen(self) -> bool:
        return self.images == ()


def encode_program(viewer: Viewer | None) -> dict[str, str] | None:
    """Return the common part of the evidence, for all screenshots."""
    if viewer is None:
        return None
    return {"client": viewer.client, "version": viewer.client_version}


def read_evidence(stored: Mapping[str, Any] | None) -> Evidence | None:
    """Return the evidence of an entry of the review log; None for decisions on the pages."""
    if stored is None:
        return None
    images = stored.get("images")
    found = None if images is None else tuple(_read_image(image) for image in images)
    places, seen = stored.get("places", 0), stored.get("seen", 0)
    return Evidence(stored["client"], stored["version"], found, places, seen)


def describe_images(evidence: Evidence) -> str:
    """Return ``looked at before and after`` with the best scale, or at how many of the places."""
    if evidence.images is None:
        return ""
    if not evidence.images:
        return NOT_SEEN
    sides = [side for side in ("before", "after") if any(vars(i)[side] for i in evidence.images)]
    if not sides:
        return "looked at the difference only"
    if evidence.seen < evidence.places:
        return f"looked at {evidence.seen} of {evidence.places} places"
    scale = max(image.scale for image in evidence.images)
    shown = " and ".join(sides)
    return f"looked at {shown}" if scale >= _WHOLE else f"looked at {shown} at {scale:.0%}"


def _read_image(image: Mapping[str, Any]) -> SeenImage:
    return SeenImage(image["form"], image["scale"], image.get("before", ""), image.get("after", ""))


def current_evidence() -> Subquery:
    """Return the stored evidence of a screenshot's current decision, as an annotation."""
    same = effective_entries().filter(
        screenshot=OuterRef("pk"),
        decision=OuterRef("review_decision"),
        decided_by_id=OuterRef("decided_by_id"),
        source=OuterRef("decision_source"),
    )
    return Subquery(same.order_by("-id").values("evidence")[:1])


def evidence_of_build(build: Build) -> dict[str, Any] | None:
    """Return the stored evidence of the decision that gave the build its review state."""
    entries = ReviewEntry.objects.filter(
        build=build,
        # A decision on the last screenshot may decide the build, too.
        decision=build.review_state,
        decided_by_id=build.decided_by_id,
        source=build.decision_source,
    )
    return entries.order_by("-id").values_list("evidence", flat=True).first()


def count_unseen(build: Build) -> int:
    """Return how many screenshots a program approved without a look at the changes."""
    unseen = ReviewEntry.objects.filter(build=build, decision=APPROVED, evidence__images=[])
    # Most builds have none, and their screenshots need not be read.
    if not unseen.exists():
        return 0
    parameters: dict[str, Any] = {
        "build": build.pk,
        "approved": APPROVED,
        "sources": list(API_SOURCES),
    }
    with connection.cursor() as cursor:
        cursor.execute(_COUNT_UNSEEN, parameters)
        return int(cursor.fetchone()[0])
