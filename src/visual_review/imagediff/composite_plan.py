"""Decide what a composite shows and where, before any image is read."""

from collections.abc import Sequence
from dataclasses import dataclass

from visual_review.imagediff.arrangement import Arrangement, arrange, arrange_columns
from visual_review.imagediff.crops import columns_of, crops_of
from visual_review.imagediff.model import Box


@dataclass(frozen=True, slots=True)
class Panel:
    """One image of a composite: name, size in pixels, and whether it is a diff image."""

    name: str
    width: int
    height: int
    is_diff: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """The panels show each of ``crops``, parts of ``area``, the union of the images.

    ``complete`` says whether the crops contain everything that changed.
    """

    panels: tuple[Panel, ...]
    area: Box
    crops: tuple[Box, ...]
    arrangement: Arrangement
    complete: bool = True

    def describe_view(self) -> str:
        """Return which part of the images is shown, and how large."""
        parts = [self._describe_crops()]
        scale = self.arrangement.scale
        if scale != 1:
            parts.append(f"enlarged {scale:.0f} times" if scale > 1 else f"shown at {scale:.0%}")
        if not self.complete:
            parts.append("more changed outside")
        return ", ".join(parts)

    def label(self, panel: Panel, crop: Box) -> str:
        """Return the label of a panel: its size, or which part of it this is."""
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


def plan_composite(panels: Sequence[Panel], boxes: Sequence[Box] = ()) -> Plan:
    """Plan a composite of the panels; ``boxes`` are the changed parts of the images' union.

    A single panel shows all of its image, a tall one in columns.
    """
    width = max(panel.width for panel in panels)
    height = max(panel.height for panel in panels)
    area = Box(0, 0, width, height)
    if len(panels) == 1:
        crops = columns_of(area)
        return Plan(tuple(panels), area, crops, arrange_columns(crops))
    crops = crops_of(boxes, area, len(panels))
    complete = all(any(_contains(crop, box) for crop in crops) for box in boxes or [area])
    return Plan(tuple(panels), area, crops, arrange(crops, len(panels)), complete)


def _contains(crop: Box, box: Box) -> bool:
    return (
        crop.x <= box.x
        and crop.y <= box.y
        and box.x + box.width <= crop.x + crop.width
        and box.y + box.height <= crop.y + crop.height
    )
