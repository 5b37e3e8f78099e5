"""The viewer's details of screenshots, for a few dozen at a time by two queries."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from django.db.models import Count, OuterRef, Subquery, Value
from django.db.models.functions import Coalesce, JSONObject
from django.urls import reverse

from visual_review.builds.bidi_controls import show_bidi_controls
from visual_review.builds.deciders import ApprovalOrigin
from visual_review.builds.flakiness import Flakiness, load_flakiness
from visual_review.builds.models import BaselineEntry, Build, Screenshot
from visual_review.builds.models.baseline_versions import ended_after
from visual_review.builds.review_history import effective_entries
from visual_review.builds.reviewing.evidence import current_evidence
from visual_review.builds.states import CHANGED, DECISIONS, UNCHANGED
from visual_review.builds.story_regions import find_ignored, to_json, to_rectangles
from visual_review.builds.variants import VariantKey
from visual_review.repositories.models import DynamicRegions
from visual_review.web.build_facts import format_time
from visual_review.web.deciders import name_decider, origin_url
from visual_review.web.evidence import encode_evidence


def image_url(repository_id: str, sha256: str) -> str:
    return reverse("repository_image", args=[repository_id, sha256])


def diff_url(repository_id: str, comparison_key: str) -> str:
    return reverse("repository_diff", args=[repository_id, comparison_key])


_COLUMNS: Final = (
    "pk",
    "diff_state",
    "message",
    "story_id",
    "theme",
    "device",
    "unstable",
    "notes",
    "regions",
    "review_decision",
    "decision_source",
    "decided_by_name",
    "decided_client",
    "decided_at",
    "comment",
    "carried_from_id",
    "image__sha256",
    "image__width",
    "image__height",
    "baseline_image__sha256",
    "baseline_image__width",
    "baseline_image__height",
    "comparison__key",
    "comparison__has_picture",
    "comparison__summary",
    "comparison__changes",
    "comparison__boxes",
    "comparison__aligned_ratio",
    "comparison__faint_pixels",
)
_ANNOTATIONS: Final = (
    "decisions",
    "dynamic_regions",
    "baseline_regions",
    "origin",
    "newer",
    "evidence",
)
NO_REGIONS: Final[dict[str, Any]] = {"regions": [], "by": "", "at": None}
Row = Mapping[str, Any]
Flakinesses = Mapping[VariantKey, Flakiness]


def load_details(build: Build, ids: Sequence[str]) -> list[dict[str, Any]]:
    """Return the details in the order of ``ids``, without ids missing in the build."""
    rows = Screenshot.objects.filter(build=build, detection_only=False, pk__in=ids).annotate(
        decisions=_count_decisions(),
        dynamic_regions=_regions_of(build),
        baseline_regions=_baseline_regions(build),
        origin=_origin(),
        newer=_same_in(build.superseded_by_id),
        evidence=current_evidence(),
    )
    found = {row["pk"]: row for row in rows.values(*_COLUMNS, *_ANNOTATIONS)}
    flakiness = load_flakiness(build, {row["story_id"] for row in found.values()})
    return [_encode(build, found[pk], flakiness) for pk in ids if pk in found]


def _count_decisions() -> Coalesce:
    entries = effective_entries().filter(screenshot=OuterRef("pk"), decision__in=DECISIONS)
    # Without an order, so that all entries are one group.
    counts = entries.order_by().values("screenshot").annotate(number=Count("pk"))
    return Coalesce(Subquery(counts.values("number")), Value(0))


def _origin() -> Subquery:
    """Return the screenshot with the original approval of a carried-over one, with its build."""
    approved = Screenshot.objects.filter(pk=OuterRef("carried_from_id"))
    origin = JSONObject(
        screenshot_id="pk",
        build_id="build_id",
        build_number="build__number",
        pull_request="build__pull_request",
    )
    return Subquery(approved.values(origin=origin)[:1])


def _same_in(newer_build: str | None) -> Subquery:
    """Return the screenshot of the newer build that shows the same pair."""
    same = Screenshot.objects.filter(
        build=newer_build,
        story_id=OuterRef("story_id"),
        theme=OuterRef("theme"),
        device=OuterRef("device"),
        detection_only=False,
    ).annotate(before=_image("baseline_image"), after=_image("image"))
    pair = same.filter(
        before=Coalesce(OuterRef("baseline_image"), Value(0)),
        after=Coalesce(OuterRef("image"), Value(0)),
    )
    return Subquery(pair.values("pk")[:1])


def _image(name: str) -> Coalesce:
    # A side without an image is equal to another without one.
    return Coalesce(name, Value(0))


def _regions_of(build: Build) -> Subquery:
    return Subquery(
        DynamicRegions.objects.filter(
            product=build.product_id,
            story_id=OuterRef("story_id"),
            theme=OuterRef("theme"),
            device=OuterRef("device"),
        ).values(found=JSONObject(regions="regions", by="updated_by", at="updated_at"))[:1]
    )


def _baseline_regions(build: Build) -> Subquery:
    """Return the regions ignored by the story in the baseline's image."""
    entries = BaselineEntry.objects.filter(
        ended_after(build.baseline_version),
        baseline=build.baseline_id,
        from_version__lte=build.baseline_version,
        story_id=OuterRef("story_id"),
        theme=OuterRef("theme"),
        device=OuterRef("device"),
        image=OuterRef("baseline_image"),
    )
    return Subquery(entries.values("regions")[:1])


def _encode(build: Build, row: Row, flakiness: Flakinesses) -> dict[str, Any]:
    is_changed = row["diff_state"] == CHANGED
    images = _encode_images(build.repository_id, row)
    own = row["dynamic_regions"] or NO_REGIONS
    return {
        "id": row["pk"],
        "summary": show_bidi_controls(row["comparison__summary"] or "") if is_changed else "",
        "message": show_bidi_controls(row["message"]),
        **_encode_decision(row),
        "images": images,
        "changes": (row["comparison__changes"] or []) if is_changed else [],
        "boxes": row["comparison__boxes"] or [],
        "regions": [
            *(_in_pixels(region, images) for region in own["regions"]),
            *(region | {"fromStory": True} for region in _ignored_by_story(row)),
        ],
        # As stored, for the person who draws the regions.
        "ownRegions": own | {"by": show_bidi_controls(own["by"])},
        "alignedRatio": row["comparison__aligned_ratio"] or 0,
        "faintPixels": row["comparison__faint_pixels"] or 0,
        "unstable": show_bidi_controls(row["unstable"]),
        "notes": [show_bidi_controls(note["text"]) for note in row["notes"]],
        "flakiness": _encode_flakiness(flakiness, row),
        "newerId": row["newer"],
    }


def _encode_flakiness(flakiness: Flakinesses, row: Row) -> dict[str, int] | None:
    found = flakiness.get(VariantKey(row["story_id"], row["theme"], row["device"]))
    return asdict(found) if found and found.is_flaky else None


def _encode_decision(row: Row) -> dict[str, Any]:
    is_decided = bool(row["review_decision"])
    by = name_decider(row["decided_by_name"], row["decision_source"], "")
    origin = ApprovalOrigin(**row["origin"]) if row["origin"] else None
    return {
        "comment": show_bidi_controls(row["comment"]),
        "decidedBy": by if is_decided else "",
        "decidedAt": format_time(row["decided_at"]) if is_decided else None,
        "decidedClient": show_bidi_controls(row["decided_client"]),
        "evidence": encode_evidence(
            row["review_decision"],
            row["decided_by_name"],
            row["decision_source"],
            row["decided_client"],
            row["evidence"],
        ),
        "carriedFrom": origin_url(origin) if origin else None,
        "carriedFromName": str(origin) if origin else "",
        # The log also has the current one.
        "earlierDecisions": max(0, row["decisions"] - is_decided),
    }


def _encode_images(repository_id: str, row: Row) -> dict[str, Any]:
    before = _encode_image(repository_id, row, "baseline_image")
    after = _encode_image(repository_id, row, "image")
    diff = None
    if before and after and row["comparison__has_picture"]:
        diff = {
            "url": diff_url(repository_id, row["comparison__key"]),
            "width": max(before["width"], after["width"]),
            "height": max(before["height"], after["height"]),
        }
    # An unchanged screenshot looks like its baseline.
    return {
        "before": None if row["diff_state"] == UNCHANGED else before,
        "after": after,
        "diff": diff,
    }


def _encode_image(repository_id: str, row: Row, side: str) -> dict[str, Any] | None:
    sha256 = row[f"{side}__sha256"]
    if sha256 is None:
        return None
    return {
        "url": image_url(repository_id, sha256),
        "width": row[f"{side}__width"],
        "height": row[f"{side}__height"],
    }


def _ignored_by_story(row: Row) -> list[dict[str, Any]]:
    before, after = (to_rectangles(row[side] or ()) for side in ("baseline_regions", "regions"))
    return [dict(each) for each in to_json(find_ignored(before, after))]


def _in_pixels(region: Mapping[str, float], images: Mapping[str, Any]) -> dict[str, int]:
    """Return a region, stored as fractions of the compared area, in the pixels of the area."""
    shown = [each for each in (images["before"], images["after"]) if each]
    width = max((each["width"] for each in shown), default=0)
    height = max((each["height"] for each in shown), default=0)
    return {
        "x": round(region["x"] * width),
        "y": round(region["y"] * height),
        "width": round(region["width"] * width),
        "height": round(region["height"] * height),
    }
