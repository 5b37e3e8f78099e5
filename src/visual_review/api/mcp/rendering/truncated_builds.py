"""The structured content of get_build: to the letter while that is short, else the essential."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from visual_review.actions.build_results import ScreenshotResult
from visual_review.actions.published.get_build import FullBuild, Result
from visual_review.api.mcp.rendering.token_counts import json_tokens
from visual_review.api.mcp.rendering.truncation import (
    Shortened,
    fitting,
    with_cut_texts,
    with_omissions_noted,
)
from visual_review.builds.states import APPROVED, DIFFERENCES, REJECTED

# Up to here nothing is left out. Addresses of pictures are most of what a build is made of, and
# models have better ways to look.
COMFORTABLE: Final = 5000
# No screenshot takes fewer tokens.
LEAST: Final = 100
NO_URLS: Final = "the addresses of pictures"
ADDRESSES: Final = ("beforeUrl", "afterUrl", "diffUrl")
WAY: Final = (
    "What waits for a decision comes first: decide it, and get_build lists the next. Everything "
    "is on the build's page, and REST gives it in one answer."
)


def shortened_build(result: Result, room: int) -> Shortened:
    """At most ``room`` tokens: without unchanged ones, then without addresses, then a beginning."""
    build = result.build
    if len(build.screenshots) * LEAST <= COMFORTABLE:
        whole = result.model_dump(mode="json")
        if json_tokens(whole) <= min(room, COMFORTABLE):
            return Shortened(whole)
    head = with_cut_texts(build.model_copy(update={"screenshots": []}).model_dump(mode="json"))
    wanted = sorted(
        (shot for shot in build.screenshots if shot.diff_state != "unchanged"), key=_urgency
    )
    used = json_tokens({"build": head})
    kept = list(fitting(_dumped(wanted), min(room, COMFORTABLE) - used))
    complete = len(kept) == len(wanted)
    if not complete:
        kept = _without_urls(wanted, room - used, COMFORTABLE - used)
    missing = [*_missing(build, wanted, kept), *([] if complete else [NO_URLS])]
    structured = {"build": {**head, "screenshots": kept}}
    return Shortened(structured, with_omissions_noted(missing, WAY))


def _urgency(shot: ScreenshotResult) -> int:
    """Orders what waits for a decision before what failed, was rejected, was approved."""
    if shot.review_decision == REJECTED:
        return 2
    if shot.review_decision == APPROVED:
        return 3
    return 0 if shot.diff_state in DIFFERENCES else 1


def _dumped(shots: Sequence[ScreenshotResult]) -> Iterator[dict[str, Any]]:
    # One by one, since of thousands only the first few are taken.
    return (with_cut_texts(shot.model_dump(mode="json")) for shot in shots)


def _without_urls(
    wanted: Sequence[ScreenshotResult], room: int, comfortable: int
) -> list[dict[str, Any]]:
    """The first that fit into ``room``; approved ones, which ask nothing, only in ``comfortable``."""
    approved = [shot for shot in wanted if shot.review_decision == APPROVED]
    asking = wanted[: len(wanted) - len(approved)]
    kept = list(fitting(map(_pictureless, _dumped(asking)), room))
    if len(kept) == len(asking):
        left = comfortable - json_tokens(kept)
        kept += fitting(map(_pictureless, _dumped(approved)), left)
    return kept


def _pictureless(shot: dict[str, Any]) -> dict[str, Any]:
    return {**shot, **dict.fromkeys(ADDRESSES)}


def _missing(
    build: FullBuild, wanted: Sequence[ScreenshotResult], kept: Sequence[dict[str, Any]]
) -> Iterator[str]:
    unchanged = len(build.screenshots) - len(wanted)
    if unchanged:
        yield f"{unchanged:,} unchanged screenshots"
    if len(kept) < len(wanted):
        yield f"{len(wanted) - len(kept):,} of {len(wanted):,} other screenshots"
