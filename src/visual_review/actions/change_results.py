"""What changed, and which screenshots changed alike, as JSON."""

from typing import Self

from visual_review.actions.schema import ActionResult
from visual_review.builds.change_kinds import ChangeKind
from visual_review.builds.models import ChangeGroup


class OffsetResult(ActionResult):
    """Pixels to the right and down."""

    x: int
    y: int


class ColorsResult(ActionResult):
    before: str
    after: str


class ContrastResult(ActionResult):
    """WCAG contrast of text with its background, 1 to 21."""

    before: float
    after: float


class ChangeResult(ActionResult):
    """One changed area, in pixels of the compared area."""

    kind: ChangeKind
    x: int
    y: int
    width: int
    height: int
    pixels: int
    description: str
    moved_by: OffsetResult | None = None
    colors: ColorsResult | None = None
    contrast: ContrastResult | None = None


class GroupResult(ActionResult):
    """Screenshots that changed alike; ``outlierIds`` are those of their family that did not."""

    id: str
    name: str
    kind: ChangeKind | None
    screenshot_count: int
    outlier_ids: list[str]

    @classmethod
    def of(cls, row: ChangeGroup) -> Self:
        return cls.model_validate(
            {
                "id": row.id,
                "name": row.name,
                "kind": row.kind or None,
                "screenshot_count": row.screenshot_count,
                "outlier_ids": row.outliers,
            }
        )
