"""Changes, and groups of screenshots that changed alike, as JSON."""

from typing import Self

from pydantic import Field

from visual_review.actions.schema import ActionResult
from visual_review.builds.change_kinds import ChangeKind
from visual_review.builds.models import ChangeGroup


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
