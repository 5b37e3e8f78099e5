"""The structured content of get_build: complete while short, else the essential parts."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from visual_review.actions.published.get_build import FullBuild, Result
from visual_review.actions.screenshot_results import ScreenshotResult
from visual_review.api.mcp.rendering.review_progress import describe_rest
from visual_review.api.mcp.rendering.truncation import (
    TruncatedResult,
    count_json_tokens,
    describe_omissions,
    dump_json,
    fits_encoded,
    take_fitting,
    truncate_strings,
)
from visual_review.api.mcp.tool_selection import ToolSelection
from visual_review.builds.states import APPROVED, COMPLETED, DIFFERENCES, REJECTED, UNCHANGED

# Up to here nothing is left out. Image URLs are most of a build, and models have better ways to
# see images.
COMFORTABLE: Final = 5200
# No screenshot takes fewer tokens.
MIN_TOKENS: Final = 100
# Of all the head, only groups are many.
GROUP_TOKENS: Final = 900
MAX_REMAINDERS: Final = 5
REGION_TOKENS: Final = 500
NO_DETAILS: Final = "the image URLs and changed areas"
URL_FIELDS: Final = ("beforeUrl", "afterUrl", "diffUrl", "changeThumbnailUrl", "thumbnailUrl")
SIZE_FIELDS: Final = ("beforeSize", "afterSize")
DETAILS: Final[dict[str, Any]] = {**dict.fromkeys((*URL_FIELDS, *SIZE_FIELDS)), "changes": []}


def truncate_build(result: Result, budget: int, selection: ToolSelection) -> TruncatedResult:
    """Fit a build into ``budget`` tokens: omit unchanged ones, then details, then the last ones."""
    build = result.build
    if len(build.screenshots) * MIN_TOKENS <= COMFORTABLE:
        whole = result.to_json()
        if fits_encoded(whole, min(budget, COMFORTABLE)):
            return TruncatedResult(whole)
    head = _head(build)
    relevant = sorted(
        (shot for shot in build.screenshots if shot.diff_state != UNCHANGED), key=_urgency
    )
    used = count_json_tokens({"build": head})
    kept = list(take_fitting(_dumped(relevant), min(budget, COMFORTABLE) - used))
    complete = len(kept) == len(relevant)
    if not complete:
        kept = _without_details(relevant, budget - used, COMFORTABLE - used)
    groups = len(build.groups) - len(head["groups"])
    regions = len(build.dynamic_regions) - len(head["dynamicRegions"])
    missing = [*_missing(build, relevant, kept), *([] if complete else [NO_DETAILS])]
    if groups:
        missing.append(f"{groups:,} of {len(build.groups):,} groups")
    if regions:
        missing.append(f"dynamic regions of {regions:,} variants")
    structured = dump_json({"build": {**head, "screenshots": kept}}).encode()
    return TruncatedResult(structured, describe_omissions(missing, _alternative(build, selection)))


def _alternative(build: FullBuild, selection: ToolSelection) -> str:
    has_open = build.status == COMPLETED and any(
        shot.diff_state in DIFFERENCES and shot.review_decision is None
        for shot in build.screenshots
    )
    return describe_rest(selection, has_open=has_open)


def _head(build: FullBuild) -> dict[str, Any]:
    """Return everything but the screenshots, with the first groups and dynamic regions."""
    lists: dict[str, list[Any]] = {"screenshots": [], "groups": [], "dynamic_regions": []}
    head = build.model_copy(update=lists).model_dump(mode="json")
    shorter = (
        group.model_copy(update={"remainder_ids": group.remainder_ids[:MAX_REMAINDERS]})
        for group in build.groups
    )
    groups = (truncate_strings(group.model_dump(mode="json")) for group in shorter)
    regions = (truncate_strings(each.model_dump(mode="json")) for each in build.dynamic_regions)
    return {
        **truncate_strings(head),
        "dynamicRegions": list(take_fitting(regions, REGION_TOKENS)),
        "groups": list(take_fitting(groups, GROUP_TOKENS)),
    }


def _urgency(shot: ScreenshotResult) -> int:
    """Return a sort key: undecided first, then failed, rejected and approved ones."""
    if shot.review_decision == REJECTED:
        return 2
    if shot.review_decision == APPROVED:
        return 3
    return 0 if shot.diff_state in DIFFERENCES else 1


def _dumped(shots: Sequence[ScreenshotResult]) -> Iterator[dict[str, Any]]:
    # One by one, since only the first few of thousands are needed.
    return (truncate_strings(shot.model_dump(mode="json")) for shot in shots)


def _without_details(
    relevant: Sequence[ScreenshotResult], budget: int, comfortable: int
) -> list[dict[str, Any]]:
    """Return screenshots within ``budget``; approved ones only within ``comfortable``."""
    approved = [shot for shot in relevant if shot.review_decision == APPROVED]
    unapproved = relevant[: len(relevant) - len(approved)]
    kept = list(take_fitting(map(_drop_details, _dumped(unapproved)), budget))
    if len(kept) == len(unapproved):
        left = comfortable - count_json_tokens(kept)
        kept += take_fitting(map(_drop_details, _dumped(approved)), left)
    return kept


def _drop_details(shot: dict[str, Any]) -> dict[str, Any]:
    return {**shot, **DETAILS}


def _missing(
    build: FullBuild, relevant: Sequence[ScreenshotResult], kept: Sequence[dict[str, Any]]
) -> Iterator[str]:
    unchanged = len(build.screenshots) - len(relevant)
    if unchanged:
        yield f"{unchanged:,} unchanged screenshots"
    if len(kept) < len(relevant):
        yield f"{len(relevant) - len(kept):,} of {len(relevant):,} other screenshots"
