"""Decide the content and layout of a composite, before any image is read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from visual_review.imagediff.changes.model import Change
from visual_review.imagediff.model import Box
from visual_review.imagediff.rendering.arrangement import (
    Arrangement,
    arrange,
    arrange_columns,
    columns_of,
    crops_of,
)
from visual_review.imagediff.rendering.labels import Color
from visual_review.imagediff.rendering.outline_choice import (
    FAINT_COLOR,
    MOVED_COLOR,
    SMALL_COLOR,
    Outline,
    PanelSide,
    contains,
    find_source,
    outline_changes,
)

OUTLINE_NAMES: Final[dict[Color, str]] = {
    SMALL_COLOR: "pink around small changes",
    MOVED_COLOR: "blue around moved content",
    FAINT_COLOR: "teal around faint changes",
}


@dataclass(frozen=True, slots=True)
class Panel:
    """One image of a composite: its name, its size in pixels, and its side."""

    name: str
    width: int
    height: int
    side: PanelSide = "after"


@dataclass(frozen=True, slots=True)
class Plan:
    """The panels show each of ``crops``, parts of ``area``, the union of the images."""

    panels: tuple[Panel, ...]
    area: Box
    crops: tuple[Box, ...]
    arrangement: Arrangement
    # Whether the crops contain all changes, except for merely moved content.
    complete: bool = True
    # The changes to outline.
    boxes: tuple[Box, ...] = ()
    changes: tuple[Change, ...] = ()
    outlined: bool = True

    def describe_view(self) -> str:
        """Return which part of the images is shown, and how large."""
        parts = [self._describe_crops()]
        scale = self.arrangement.scale
        if scale != 1:
            parts.append(f"enlarged {scale:.0f} times" if scale > 1 else f"shown at {scale:.0%}")
        if not self.complete:
            parts.append("more changed outside")
        if not all(self._shows(box) for box in moved_boxes(self.changes)):
            parts.append("moved content continues outside")
        return ", ".join(parts)

    def explain_colors(self) -> str:
        """Return the meaning of colors not found in every composite; a sentence, or nothing."""
        found = {outline.color for outline in self._outlines()}
        names = [name for color, name in OUTLINE_NAMES.items() if color in found]
        return f"Outlines: {', '.join(names)}" if names else ""

    def outlines_of(self, panel: Panel, crop: Box) -> list[Outline]:
        """Return the outlines of the panel within the crop."""
        if len(self.panels) == 1 or panel.side == "amplified" or not self.outlined:
            return []
        scale = self.arrangement.scale
        return outline_changes(self.boxes, self.changes, panel.side, crop, scale)

    def _outlines(self) -> list[Outline]:
        return [
            outline
            for panel in self.panels
            for crop in self.crops
            for outline in self.outlines_of(panel, crop)
        ]

    def _shows(self, box: Box) -> bool:
        return any(contains(crop, box) for crop in self.crops)

    def label(self, panel: Panel, crop: Box) -> str:
        """Return the label of a panel: its size, or the position of its crop."""
        if len(self.crops) == 1:
            return f"{panel.name}, {panel.width}x{panel.height}"
        if self.arrangement.order == "columns":
            return f"{panel.name} from row {crop.y}"
        return f"{panel.name} at {crop.x},{crop.y}"

    def _describe_crops(self) -> str:
        whole = f"{self.area.width}x{self.area.height}"
        if self.arrangement.order == "columns":
            return f"All of {whole}" + (f" in {len(self.crops)} columns" * (len(self.crops) > 1))
        if len(self.crops) > 1:
            return f"{len(self.crops)} parts of {whole}"
        crop = self.crops[0]
        if crop == self.area:
            return f"All of {whole}"
        return f"{crop.width}x{crop.height} at {crop.x},{crop.y} of {whole}"


def plan_composite(
    panels: Sequence[Panel], boxes: Sequence[Box] = (), changes: Sequence[Change] = ()
) -> Plan:
    """Plan a composite of the panels; ``boxes`` are the changed parts of the images' union.

    Of ``changes``, moved content is shown only near new content, unless nothing else changed. A
    single panel shows all of its image, a tall one in columns.
    """
    width = max(panel.width for panel in panels)
    height = max(panel.height for panel in panels)
    area = Box(0, 0, width, height)
    if len(panels) == 1:
        crops = columns_of(area)
        return Plan(tuple(panels), area, crops, arrange_columns(crops))
    crops = crops_of(boxes_to_show(boxes, changes, area), area, len(panels))
    return Plan(
        panels=tuple(panels),
        area=area,
        crops=crops,
        arrangement=arrange(crops, len(panels)),
        complete=_is_complete(crops, boxes or ([] if changes else [area]), changes),
        boxes=tuple(boxes),
        changes=tuple(changes),
    )


def boxes_to_show(boxes: Sequence[Box], changes: Sequence[Change], area: Box) -> list[Box]:
    """Return the boxes for a reader to see, within the area."""
    found = [change.box for change in changes if change.kind != "moved"]
    found = found or moved_boxes(changes) or list(boxes)
    return [box for box in (clip(each, area) for each in found) if box.width and box.height]


def moved_boxes(changes: Sequence[Change]) -> list[Box]:
    """Return the new and the old places of moved content."""
    moved = [(change.box, change.moved_by) for change in changes if change.kind == "moved"]
    return [
        box
        for target, offset in moved
        if offset is not None
        for box in (target, find_source(target, offset))
    ]


def _is_complete(crops: Sequence[Box], boxes: Sequence[Box], changes: Sequence[Change]) -> bool:
    """Return whether each box is within a crop, or within moved content."""
    shown = [*crops, *moved_boxes(changes)]
    seen = [*boxes, *(change.box for change in changes if change.kind != "moved")]
    return all(any(contains(part, box) for part in shown) for box in seen)


def clip(box: Box, area: Box) -> Box:
    """Return the part of the box within the area, possibly empty."""
    left, top = max(box.x, area.x), max(box.y, area.y)
    right = min(box.x + box.width, area.x + area.width)
    bottom = min(box.y + box.height, area.y + area.height)
    return Box(left, top, max(0, right - left), max(0, bottom - top))
