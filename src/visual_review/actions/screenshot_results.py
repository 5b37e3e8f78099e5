"""A screenshot of a build as JSON."""

from typing import Final

from pydantic import Field

from visual_review.actions.build_results import (
    EARLIER_DECIDER,
    DeciderWithOriginResult,
    EarlierCommentResult,
    SizeResult,
    VariantResult,
)
from visual_review.actions.change_results import ChangeResult
from visual_review.actions.schema import ActionResult, Link
from visual_review.builds.change_kinds import ChangeKind
from visual_review.builds.states import Decision, DiffState

IMAGE_EXAMPLE: Final = (
    "https://review.example.com/blobs/images/org_01jq3v8e6m5x0c2n9d4t7r1kze/"
    "9f86d081884c7d65?expires=1773484200&signature=2Zb1hT0yq3Xw"
)


class ScreenshotResult(ActionResult):
    """One image of one story and variant in a build: what the comparison saw, what was decided."""

    id: str = Field(
        description="Its id, which is `screenshotId` elsewhere.",
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
        description="What changed, in a sentence; null unless changed.",
        examples=["only colors: #1f6feb to #d1242f, contrast 4.6 to 5.1"],
    )
    severity: float | None = Field(
        description="How much it matters, 0 to 1, which orders screenshots; null unless changed.",
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
        description="Its changed areas, the worst first, at most ten.",
    )
    group_id: str | None = Field(
        description="Id of its group in `groups`; null unless changed.",
        examples=["group_01jq3v8e6m5x0c2n9d4t7r1kzh"],
    )
    message: str = Field(description="Why it failed; empty otherwise.", examples=[""])
    inherited: bool = Field(
        description="True: a partial build did not capture it, so it is the baseline's.",
        examples=[False],
    )
    only_in_regions: bool = Field(
        description="True: all differences lie in dynamic regions or in what its story ignores, "
        "so it counts as unchanged.",
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
        description="The newest comment that was given with a decision on it in this build before "
        "the current one; null without any. Undone decisions do not count.",
        examples=[
            {
                "comment": "The label must stay on one line.",
                "decision": "rejected",
                "decided": EARLIER_DECIDER,
            }
        ],
    )
    earlier_decisions: int = Field(
        description="Number of decisions by users and keys on it in this build before the current "
        "one. Undone and carried-over decisions do not count.",
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
        description="Image that marks what differs, PNG, as wide and high as the larger of both; "
        "null unless changed.",
        examples=[IMAGE_EXAMPLE],
    )
    change_thumbnail_url: Link | None = Field(
        description="Small image of what changed; null until it is rendered, and unless changed.",
        examples=[IMAGE_EXAMPLE],
    )
    thumbnail_url: Link | None = Field(
        description="Small image of the whole screenshot; null until it is rendered.",
        examples=[IMAGE_EXAMPLE],
    )
