"""Screenshots of a build, their changes and the groups of changes as JSON."""

import json
from collections.abc import Sequence
from typing import Any, Final, Self

from pydantic import Field

from visual_review.actions.build_results import (
    EARLIER_DECIDER,
    CarriedOverFromResult,
    DeciderResult,
    DeciderWithOriginResult,
    EarlierCommentResult,
    Origins,
    SizeResult,
    VariantResult,
)
from visual_review.actions.schema import ActionResult, Link
from visual_review.builds.change_kinds import ChangeKind
from visual_review.builds.earlier_decisions import (
    NO_EARLIER,
    DecisionsByShot,
    EarlierDecisions,
    LoggedComment,
    decisions_before,
)
from visual_review.builds.images.links import ScreenshotLinks
from visual_review.builds.models import ChangeGroup
from visual_review.builds.read_models import ScreenshotRow
from visual_review.builds.states import CHANGED, Decision, DiffState

IMAGE_EXAMPLE: Final = (
    "https://review.example.com/blobs/images/org_01jq3v8e6m5x0c2n9d4t7r1kze/"
    "9f86d081884c7d65?expires=1773484200&signature=2Zb1hT0yq3Xw"
)


class OffsetResult(ActionResult):
    """A distance in pixels."""

    x: int = Field(description="To the right; negative to the left.", examples=[0])
    y: int = Field(description="Down; negative upwards.", examples=[16])


class ColorsResult(ActionResult):
    """The main color of an area, before and after."""

    before: str = Field(description="In the baseline, as hexadecimal RGB.", examples=["#1f6feb"])
    after: str = Field(description="In this build, as hexadecimal RGB.", examples=["#d1242f"])


class ContrastResult(ActionResult):
    """WCAG contrast of text with its background, 1 to 21."""

    before: float = Field(description="In the baseline.", examples=[4.63])
    after: float = Field(description="In this build.", examples=[5.08])


class ChangeResult(ActionResult):
    """One changed area, in pixels of the compared area."""

    kind: ChangeKind = Field(description="What happened to the area.", examples=["color"])
    x: int = Field(description="Left edge.", examples=[24])
    y: int = Field(description="Upper edge.", examples=[96])
    width: int = Field(description="Width.", examples=[120])
    height: int = Field(description="Height.", examples=[40])
    pixels: int = Field(description="Number of differing pixels in it.", examples=[4048])
    description: str = Field(
        description="What changed, in a few words.",
        examples=["#1f6feb to #d1242f, contrast 4.6 to 5.1"],
    )
    moved_by: OffsetResult | None = Field(
        default=None, description="How far content moved; null for other kinds.", examples=[None]
    )
    colors: ColorsResult | None = Field(
        default=None, description="Null unless the color of the area changed."
    )
    contrast: ContrastResult | None = Field(
        default=None, description="Contrast of the area's text; null where not measured."
    )


class GroupResult(ActionResult):
    """Screenshots that changed alike."""

    id: str = Field(
        description="Id of the group; `groupId` of a screenshot.",
        examples=["group_01jq3v8e6m5x0c2n9d4t7r1kzh"],
    )
    name: str = Field(
        description="What changed, and where.",
        examples=["only colors: #1f6feb to #d1242f, contrast 4.6 to 5.1"],
    )
    kind: ChangeKind | None = Field(
        description="Kind of the change; null if unknown.", examples=["color"]
    )
    screenshot_count: int = Field(description="Number of screenshots in the group.", examples=[1])
    remainder_ids: list[str] = Field(
        description="Ids of screenshots with the change of the group and further changes. Each "
        "is in a group of its own, so no decision on the group decides the "
        "screenshot.",
        examples=[[]],
    )

    @classmethod
    def of(cls, row: ChangeGroup) -> Self:
        return cls.model_validate(
            {
                "id": row.id,
                "name": row.name,
                "kind": row.kind or None,
                "screenshot_count": row.screenshot_count,
                "remainder_ids": row.remainders,
            }
        )


class ScreenshotResult(ActionResult):
    """One image of one story and variant in a build: what the comparison saw, what was decided."""

    id: str = Field(
        description="Id of the screenshot; `screenshotId` in other actions.",
        examples=["shot_01jq3v8e6m5x0c2n9d4t7r1kzc"],
    )
    story_id: str = Field(description="Id of the story in Storybook.", examples=["button--primary"])
    title: str = Field(
        description="Title of the story; empty where CI sent none.", examples=["Button / Primary"]
    )
    variant: VariantResult = Field(
        description="Theme and device that the story was captured with.",
        examples=[{"theme": "light", "device": "phone"}],
    )
    diff_state: DiffState = Field(
        description="What the comparison with the baseline saw; `failed` where capture or "
        "comparison failed.",
        examples=["changed"],
    )
    diff_ratio: float = Field(
        description="Share of differing pixels, 0 to 1, of the compared area outside dynamic "
        "regions.",
        examples=[0.0123],
    )
    kind: ChangeKind | None = Field(
        description="Kind of the worst change; null unless changed.", examples=["color"]
    )
    summary: str | None = Field(
        description="The change in a sentence; null unless changed.",
        examples=["only colors: #1f6feb to #d1242f, contrast 4.6 to 5.1"],
    )
    severity: float | None = Field(
        description="Severity of the change, 0 to 1, for ordering screenshots; null unless "
        "changed.",
        examples=[0.42],
    )
    aligned_ratio: float | None = Field(
        description="Like `diffRatio`, after content that only moved is aligned; null unless "
        "changed.",
        examples=[0.0031],
    )
    faint_pixels: int = Field(
        description="Number of pixels in areas that differ too little to count by themselves.",
        examples=[0],
    )
    changes: list[ChangeResult] = Field(
        description="Changed areas, the worst first, at most ten.",
    )
    group_id: str | None = Field(
        description="Id of the group in `groups`; null unless changed.",
        examples=["group_01jq3v8e6m5x0c2n9d4t7r1kzh"],
    )
    message: str = Field(description="Reason of the failure; empty otherwise.", examples=[""])
    inherited: bool = Field(
        description="True: not captured by a partial build, but taken over from the baseline.",
        examples=[False],
    )
    only_in_regions: bool = Field(
        description="True: all differences lie in dynamic regions or in elements ignored by the "
        "story, so the screenshot counts as unchanged.",
        examples=[False],
    )
    matches_former_baseline: bool = Field(
        description="True: this image was the branch's baseline before.", examples=[False]
    )
    review_decision: Decision | None = Field(
        description="The current decision; null while undecided.", examples=["approved"]
    )
    decided: DeciderWithOriginResult | None = Field(
        description="Who made the current decision; null while undecided.",
    )
    comment: str | None = Field(
        description="Comment of the current decision; null without one.", examples=[None]
    )
    earlier_comment: EarlierCommentResult | None = Field(
        description="The newest comment with a decision on the screenshot in this build before "
        "the current decision; null without any. Undone decisions do not count.",
        examples=[
            {
                "comment": "The label must stay on one line.",
                "decision": "rejected",
                "decided": EARLIER_DECIDER,
            }
        ],
    )
    earlier_decisions: int = Field(
        description="Number of decisions by users and keys on the screenshot in this build "
        "before the current decision. Undone and carried-over decisions do not "
        "count.",
        examples=[1],
    )
    before_url: Link | None = Field(
        description="Image of the baseline, PNG; null without one, and where it looks the same.",
        examples=[IMAGE_EXAMPLE],
    )
    before_size: SizeResult | None = Field(
        description="Size of the image at `beforeUrl`; null without one.",
        examples=[{"width": 390, "height": 844}],
    )
    after_url: Link | None = Field(
        description="Image of this build, PNG; null for removed and failed ones.",
        examples=[IMAGE_EXAMPLE],
    )
    after_size: SizeResult | None = Field(
        description="Size of the image at `afterUrl`; null without one.",
        examples=[{"width": 390, "height": 860}],
    )
    diff_url: Link | None = Field(
        description="Image with the differences marked, PNG, as wide and high as the larger of "
        "both; null unless changed.",
        examples=[IMAGE_EXAMPLE],
    )
    change_thumbnail_url: Link | None = Field(
        description="Small image of the change; null until rendered, and unless changed.",
        examples=[IMAGE_EXAMPLE],
    )
    thumbnail_url: Link | None = Field(
        description="Small image of the whole screenshot; null until rendered.",
        examples=[IMAGE_EXAMPLE],
    )


def screenshots_as_fields(
    rows: Sequence[ScreenshotRow],
    links: Sequence[ScreenshotLinks],
    logged: DecisionsByShot,
    origins: Origins,
) -> list[dict[str, Any]]:
    """Return the fields of ``ScreenshotResult``, for each row.

    A build may have tens of thousands, so all rows are validated in one call of Pydantic.
    """
    return [
        _plain_fields(row)
        | _comparison_fields(row)
        | _review_fields(row, _earlier_decisions(row, logged), origins)
        | _image_fields(row, urls)
        for row, urls in zip(rows, links, strict=True)
    ]


def _plain_fields(row: ScreenshotRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "story_id": row.story_id,
        "title": row.title,
        "variant": {"theme": row.theme, "device": row.device},
        "diff_state": row.diff_state,
        "diff_ratio": row.diff_ratio,
        "group_id": row.group_id,
        "message": row.message,
        "inherited": row.inherited,
        "only_in_regions": row.only_in_regions,
        "matches_former_baseline": row.matches_former_baseline,
    }


def _comparison_fields(row: ScreenshotRow) -> dict[str, Any]:
    is_known = row.diff_state == CHANGED and bool(row.comparison__kind)
    return {
        "kind": row.comparison__kind if is_known else None,
        "summary": row.comparison__summary if is_known else None,
        "severity": row.comparison__severity if is_known else None,
        "aligned_ratio": row.comparison__aligned_ratio if is_known else None,
        # Of an unchanged one, too: a product may ignore faint changes.
        "faint_pixels": row.comparison__faint_pixels or 0,
        "changes": json.loads(row.comparison__worst_changes or "[]") if is_known else [],
    }


def _review_fields(
    row: ScreenshotRow, earlier: EarlierDecisions, origins: Origins
) -> dict[str, Any]:
    origin = CarriedOverFromResult.of(origins.get(row.carried_from_id))
    return {
        # Text columns are empty where JSON has null.
        "review_decision": row.review_decision or None,
        "decided": DeciderWithOriginResult.of(row, carried_over_from=origin),
        "comment": row.comment or None,
        "earlier_comment": _comment_fields(earlier.commented),
        "earlier_decisions": earlier.number,
    }


def _image_fields(row: ScreenshotRow, urls: ScreenshotLinks) -> dict[str, Any]:
    before = row.baseline_image__width, row.baseline_image__height
    after = row.image__width, row.image__height
    return {
        "before_url": urls.before,
        # Unchanged screenshots have no link to the image before.
        "before_size": _size_fields(*before) if urls.before else None,
        "after_url": urls.after,
        "after_size": _size_fields(*after) if urls.after else None,
        "diff_url": urls.diff,
        "change_thumbnail_url": urls.change_thumbnail,
        "thumbnail_url": urls.thumbnail,
    }


def _size_fields(width: int | None, height: int | None) -> dict[str, int] | None:
    return None if width is None or height is None else {"width": width, "height": height}


def _earlier_decisions(row: ScreenshotRow, logged: DecisionsByShot) -> EarlierDecisions:
    found = logged.get(row.id)
    if found is None:
        return NO_EARLIER
    return decisions_before(found, row.review_decision, row.decision_source)


def _comment_fields(found: LoggedComment | None) -> dict[str, Any] | None:
    if found is None:
        return None
    decided = DeciderResult.of(found)
    return {"comment": found.comment, "decision": found.decision, "decided": decided}
