"""Screenshots have the JSON of the published interface, whatever the row."""

import json
from datetime import UTC, datetime
from typing import Any, get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.depth import rounds
from tests.support.mcp.results import full_build
from visual_review.actions.build_results import Source
from visual_review.actions.published.get_build import Result
from visual_review.actions.screenshot_results import ScreenshotResult, screenshots_as_fields
from visual_review.builds.change_kinds import ChangeKind
from visual_review.builds.deciders import ApprovalOrigin
from visual_review.builds.earlier_decisions import (
    LoggedComment,
    LoggedDecisions,
    decisions_before,
)
from visual_review.builds.images.links import ScreenshotLinks
from visual_review.builds.read_models import ScreenshotRow
from visual_review.builds.states import DIFF_STATES, Decision
from visual_review.kernel.clock import rfc3339

# PostgreSQL stores neither NUL nor surrogates.
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
ratios = st.floats(0, 1)
kinds = st.sampled_from(get_args(ChangeKind))
colors = st.fixed_dictionaries({"before": texts, "after": texts})
# Numbers without a fraction are stored without one.
contrasts = st.fixed_dictionaries({"before": st.integers(1, 21), "after": st.floats(1, 21)})
changes = st.fixed_dictionaries(
    {
        "kind": kinds,
        **dict.fromkeys(("x", "y", "width", "height", "pixels"), st.integers(0, 2**40)),
        "description": texts,
    },
    optional={
        "movedBy": st.fixed_dictionaries({"x": st.integers(-9, 9), "y": st.integers(-9, 9)}),
        "colors": colors,
        "contrast": contrasts,
    },
)
moments = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - Hypothesis adds the zone.
rows = st.builds(
    ScreenshotRow,
    theme=st.sampled_from(["light", "dark"]),
    device=st.sampled_from(["phone", "tablet", "desktop"]),
    diff_state=st.sampled_from(DIFF_STATES),
    diff_ratio=ratios,
    review_decision=st.sampled_from(["", *get_args(Decision)]),
    decision_source=st.sampled_from(["", *get_args(Source)]),
    decided_at=st.none() | moments,
    carried_from_id=st.sampled_from(["", "shot_1", "shot_deleted"]),
    comparison__kind=st.none() | st.just("") | kinds,
    comparison__severity=st.none() | ratios,
    comparison__aligned_ratio=st.none() | ratios,
    comparison__worst_changes=st.none() | st.lists(changes, max_size=2).map(json.dumps),
    **dict.fromkeys(
        ("id", "story_id", "title", "message", "decided_by_name", "decided_client", "comment"),
        texts,
    ),
)
comments = st.builds(
    LoggedComment,
    decision=st.sampled_from(get_args(Decision)),
    decision_source=st.sampled_from(["user", "api_key", "mcp"]),
    decided_at=moments,
    comment=texts,
)
ORIGIN = ApprovalOrigin("shot_1", "build_1", 7, 12)
histories = st.builds(
    LoggedDecisions, st.integers(1, 3), st.none() | comments, st.none() | comments
)
links = st.builds(ScreenshotLinks, *[st.none() | texts] * 5)


def size_of(url: str | None, width: int | None, height: int | None) -> dict[str, Any] | None:
    known = url and width is not None and height is not None
    return {"width": width, "height": height} if known else None


def comment_of(row: LoggedComment | None) -> dict[str, Any] | None:
    if row is None:
        return None
    decided = {
        "name": (row.decided_by_name.strip() and row.decided_by_name) or "Visual Review",
        "at": rfc3339(row.decided_at),
        "source": row.decision_source,
        "client": row.decided_client or None,
    }
    return {"comment": row.comment, "decision": row.decision, "decided": decided}


def origin_of(row: ScreenshotRow) -> dict[str, Any] | None:
    if row.carried_from_id != ORIGIN.screenshot_id:
        return None
    return {"build_id": "build_1", "build_number": 7, "pull_request": 12, "screenshot_id": "shot_1"}


def published(row: ScreenshotRow, urls: ScreenshotLinks, logged: LoggedDecisions) -> dict[str, Any]:
    """Return the published JSON of a row, by way of the models."""
    earlier = decisions_before(logged, row.review_decision, row.decision_source)
    known = row.diff_state == "changed" and bool(row.comparison__kind)
    decided = None
    if row.decided_at is not None and row.decision_source:
        decided = {
            "name": (row.decided_by_name.strip() and row.decided_by_name) or "Visual Review",
            "at": rfc3339(row.decided_at),
            "source": row.decision_source,
            "client": row.decided_client or None,
            "carried_over_from": origin_of(row),
        }
    plain = ("id", "story_id", "title", "diff_state", "diff_ratio", "message", "inherited")
    flags = ("only_in_regions", "matches_former_baseline", "group_id")
    fields = {
        **{name: getattr(row, name) for name in (*plain, *flags)},
        "variant": {"theme": row.theme, "device": row.device},
        "kind": row.comparison__kind if known else None,
        "summary": row.comparison__summary if known else None,
        "severity": row.comparison__severity if known else None,
        "aligned_ratio": row.comparison__aligned_ratio if known else None,
        "faint_pixels": row.comparison__faint_pixels or 0,
        "changes": json.loads(row.comparison__worst_changes or "[]") if known else [],
        "review_decision": row.review_decision or None,
        "decided": decided,
        "comment": row.comment or None,
        "earlier_comment": comment_of(earlier.commented),
        "earlier_decisions": earlier.number,
        "before_size": size_of(urls.before, row.baseline_image__width, row.baseline_image__height),
        "after_size": size_of(urls.after, row.image__width, row.image__height),
        **{f"{name}_url": url for name, url in urls._asdict().items()},
    }
    found: dict[str, Any] = json.loads(ScreenshotResult.model_validate(fields).model_dump_json())
    return found


@given(rows, links, histories)
@settings(max_examples=rounds(40, 400))
def test_every_row_has_the_json_of_the_published_model(
    row: ScreenshotRow, urls: ScreenshotLinks, logged: LoggedDecisions
) -> None:
    known = {row.id: logged}
    [fields] = screenshots_as_fields([row], [urls], known, {ORIGIN.screenshot_id: ORIGIN})
    result = full_build([ScreenshotResult.model_validate(fields)])
    assert json.loads(result.to_json())["build"]["screenshots"] == [published(row, urls, logged)]
    assert Result.model_validate_json(result.to_json()) == result
