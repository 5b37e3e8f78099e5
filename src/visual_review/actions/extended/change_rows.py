"""Changes of a build and their groups as JSON."""

from collections.abc import Sequence
from typing import Self

from pydantic import Field

from visual_review.actions.schema import ActionResult, Link
from visual_review.builds.change_kinds import ChangeKind
from visual_review.builds.deciders import name_person
from visual_review.builds.flakiness import Flakiness
from visual_review.builds.models import ChangeGroup, Image, Screenshot
from visual_review.builds.reviewing.listed_changes import PreviousDecision
from visual_review.builds.states import Decision, DiffState
from visual_review.builds.urls import build_url
from visual_review.variants import Device, Theme


class ListedSize(ActionResult):
    """Size of an image in pixels."""

    width: int = Field(description="Width.", examples=[390])
    height: int = Field(description="Height.", examples=[844])

    @classmethod
    def of(cls, image: Image | None) -> Self | None:
        return None if image is None else cls(width=image.width, height=image.height)


class ListedBox(ActionResult):
    """A changed area in pixels."""

    x: int = Field(description="Left edge.", examples=[24])
    y: int = Field(description="Upper edge.", examples=[96])
    width: int = Field(description="Width.", examples=[120])
    height: int = Field(description="Height.", examples=[40])


class PreviousResult(ActionResult):
    """The newest decision on the very same pair of images in another build."""

    decision: Decision = Field(description="The decision.", examples=["approved"])
    by: str = Field(description="Name of the user or key.", examples=["Alice Smith"])
    build_number: int = Field(description="Number of the build with the decision.", examples=[121])

    @classmethod
    def of(cls, found: PreviousDecision | None) -> Self | None:
        if found is None:
            return None
        values = {
            "decision": found.decision,
            "by": name_person(found.name),
            "build_number": found.build_number,
        }
        return cls.model_validate(values)


class FlakinessResult(ActionResult):
    """How a variant behaved in its last captures, on all branches."""

    captures: int = Field(description="How many captures were looked at.", examples=[10])
    unstable: int = Field(description="How many were still changing.", examples=[0])
    varied: int = Field(
        description="How many differ from the one before without a change of the sources.",
        examples=[1],
    )

    @classmethod
    def of(cls, found: Flakiness | None) -> Self | None:
        if found is None or not found.is_flaky:
            return None
        return cls(captures=found.captures, unstable=found.unstable, varied=found.varied)


class ListedChange(ActionResult):
    """One changed, new, removed or failed screenshot."""

    number: int = Field(description="Number in the build, written `#12`.", examples=[12])
    screenshot_id: str = Field(description="Its id.", examples=["shot_01jq3v8e6m5x0c2n9d4t7r1kzc"])
    story_id: str = Field(
        description="Story of the screenshot.", examples=["components-button--primary"]
    )
    theme: Theme = Field(description="Theme of the variant.", examples=["dark"])
    device: Device = Field(description="Device of the variant.", examples=["phone"])
    diff_state: DiffState = Field(description="How the screenshot differs.", examples=["changed"])
    kind: ChangeKind | None = Field(
        description="Kind of the most severe change; null if unknown.",
        examples=["color"],
    )
    summary: str | None = Field(
        description="The change in words, or the reason of the failure.",
        examples=["only colors: #1f6feb to #d1242f"],
    )
    boxes: list[ListedBox] = Field(description="Where it changed, the most severe area first.")
    size_before: ListedSize | None = Field(description="Size of the baseline's image.")
    size_after: ListedSize | None = Field(description="Size of the build's image.")
    faint_pixels: int = Field(
        description="Pixels in areas that changed by less than the threshold.", examples=[0]
    )
    decision: Decision | None = Field(
        description="The decision; null while undecided.", examples=[None]
    )
    decided_by: str | None = Field(
        description="Name of the user or key that decided.", examples=[None]
    )
    previous_decision: PreviousResult | None = Field(
        description="The newest decision on the same pair of images in another build."
    )
    flakiness: FlakinessResult | None = Field(description="Null if it is not flaky.")
    unstable: str | None = Field(
        description="Why the page was still changing at the capture; null for a page at rest.",
        examples=[None],
    )
    not_from_branch: str | None = Field(
        description="The cause of a change that is not from the branch: the sources equal the "
        "sources of the baseline's image. Null where the branch may be the cause.",
        examples=["Chromium 150 to 156"],
    )
    url: Link = Field(
        description="The review page at this screenshot.",
        examples=["https://reviews.example.com/builds/build_01jq3v8e6m5x0c2n9d4t7r1kzb#shot_01j"],
    )

    @classmethod
    def of(
        cls, row: Screenshot, previous: PreviousDecision | None, flakiness: Flakiness | None
    ) -> Self:
        comparison = row.comparison
        return cls.model_validate(
            {
                "number": row.number,
                "screenshot_id": row.pk,
                "story_id": row.story_id,
                "theme": row.theme,
                "device": row.device,
                "diff_state": row.diff_state,
                "kind": (comparison.kind or None) if comparison else None,
                "summary": (comparison.summary if comparison else row.message) or None,
                "boxes": _boxes_of(row),
                "size_before": ListedSize.of(row.baseline_image),
                "size_after": ListedSize.of(row.image),
                "faint_pixels": comparison.faint_pixels if comparison else 0,
                "decision": row.review_decision or None,
                "decided_by": name_person(row.decided_by_name) if row.review_decision else None,
                "previous_decision": PreviousResult.of(previous),
                "flakiness": FlakinessResult.of(flakiness),
                "unstable": row.unstable or None,
                "not_from_branch": row.not_from_branch or None,
                "url": f"{build_url(row.build_id)}#{row.pk}",
            }
        )


class ListedGroup(ActionResult):
    """Changes that look alike; of a group on several pages, those of this page."""

    number: int | None = Field(
        description="Number in the build, written `G3`; null for screenshots in no group.",
        examples=[3],
    )
    id: str | None = Field(
        description="Its id; null for screenshots in no group.",
        examples=["group_01jq3v8e6m5x0c2n9d4t7r1kzh"],
    )
    name: str = Field(description="What changed, and where.", examples=["Header taller by 16 px"])
    screenshot_count: int = Field(description="Number of screenshots in the group.", examples=[14])
    remainders: list[int] = Field(
        description="Numbers of screenshots with the change of the group and further changes, "
        "each in a group of its own.",
        examples=[[17]],
    )
    changes: list[ListedChange] = Field(description="Changes of the group on this page.")

    @classmethod
    def of(
        cls, group: ChangeGroup | None, changes: Sequence[ListedChange], remainders: Sequence[int]
    ) -> Self:
        return cls(
            number=group.number if group else None,
            id=group.pk if group else None,
            name=group.name if group else "",
            screenshot_count=group.screenshot_count if group else len(changes),
            remainders=list(remainders),
            changes=list(changes),
        )


def _boxes_of(row: Screenshot) -> list[dict[str, int]]:
    if row.comparison is None:
        return []
    found = row.comparison.changes or row.comparison.boxes
    return [{side: each[side] for side in ("x", "y", "width", "height")} for each in found]
