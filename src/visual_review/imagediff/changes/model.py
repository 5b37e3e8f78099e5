"""The findings on a difference, beyond a count of pixels."""

from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from visual_review.imagediff.model import Box

ChangeKind = Literal[
    "vanished",
    "appeared",
    "text",
    "image",
    "blurred",
    "border",
    "corners",
    "color",
    "resized",
    "moved",
    "pixels",
    "faint",
    "scrollbar",
    "noise",
]
# Whether faint changes make a screenshot changed where no one chose.
FAINT_COUNTS_BY_DEFAULT: Final = True


@dataclass(frozen=True, slots=True)
class KindRules:
    """What is particular to one kind of change; on pages, a kind is named as in results."""

    # The severity of a change of the whole image; a smaller area has less.
    severity: float
    # Describes each change of the kind; empty where the description depends on the area.
    description: str = ""
    # Left out of a sentence with anything else to say.
    is_trivial: bool = False
    # Outlined at any size: a changed frame around content is easily missed.
    is_frame: bool = False
    # The meaning of the kind's own color in a difference.
    legend: str = ""


# Every kind, in the order of ``ChangeKind``: first what interests a person most.
CHANGE_KINDS: Final[dict[ChangeKind, KindRules]] = {
    "vanished": KindRules(0.9),
    "appeared": KindRules(0.8),
    "text": KindRules(0.55),
    "image": KindRules(0.6),
    "blurred": KindRules(0.6, "blurred"),
    "border": KindRules(0.6, is_frame=True),
    "corners": KindRules(0.4, "corners changed", is_frame=True),
    "color": KindRules(0.75),
    "resized": KindRules(0.3),
    "moved": KindRules(0.7, legend="blue is content that moved"),
    "pixels": KindRules(0.55),
    "faint": KindRules(0.45, legend="teal is a change below the threshold"),
    "scrollbar": KindRules(0.05, "scrollbar changed", is_trivial=True),
    "noise": KindRules(0.02, "single pixels differ", is_trivial=True),
}


@dataclass(frozen=True, slots=True)
class Offset:
    """How far content moved, in pixels: to the right and down."""

    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Change:
    """One changed area."""

    kind: ChangeKind
    # In pixels of the compared area; of moved content, the new place.
    box: Box
    # Different pixels in the box: by more than the threshold, or, of a faint change, by less.
    pixels: int
    # The change in a few words, without the position.
    description: str
    moved_by: Offset | None = None
    # The main color before and after, as ``#rrggbb``.
    colors: tuple[str, str] | None = None
    # Of text and similar content with its background, before and after: from 1 to 21 (WCAG 2).
    contrast: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Displacement:
    """How far content moved, and the box around all content moved as far, in its new place."""

    offset: Offset
    box: Box


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a change, possibly shared by other screenshots."""

    # Equal for the same replacement of the same content, in any place.
    digest: str
    # The place in the screenshot.
    box: Box
    # The change in a few words.
    what: str
    # The colors of an element with no other change, as ``#rrggbb``.
    recolored: tuple[str, str] | None = None
    # Describes a small part, and stays comparable where rounding moved an edge.
    sketch: str = ""


@dataclass(frozen=True, slots=True)
class Signature:
    """The features of changes for finding similar ones."""

    # The parts left once moved content is in its place; None of too many to compare.
    parts: tuple[Part, ...] | None = ()
    # How far which content moved.
    moves: tuple[Displacement, ...] = ()
    # Places and shapes without colors, for comparing variants of one story; empty if useless.
    structure: str = ""


@dataclass(frozen=True, slots=True)
class Analysis:
    """The changes between two images."""

    # The kind of the screenshot.
    kind: ChangeKind | None
    # One sentence, without a period.
    summary: str
    # At most 50, the worst first.
    changes: tuple[Change, ...]
    # Pixels new, lost or different once moved content is aligned.
    aligned_pixels: int
    # ``aligned_pixels`` over the pixels of the compared area.
    aligned_ratio: float
    # Pixels of connected areas with differences up to the threshold.
    faint_pixels: int
    # Whether such an area is large enough for a change.
    is_faintly_changed: bool
    # From 0 to 1, for ordering screenshots; not a percentage.
    severity: float
    signature: Signature


NOTHING_CHANGED: Final = Analysis(
    None, "", (), 0, 0.0, 0, is_faintly_changed=False, severity=0.0, signature=Signature()
)


def change_to_json(change: Change) -> dict[str, Any]:
    """Return an object with the properties published by ``get_build`` and reports."""
    entry: dict[str, Any] = {
        "kind": change.kind,
        **asdict(change.box),
        "pixels": change.pixels,
        "description": change.description,
    }
    if change.moved_by is not None:
        entry["movedBy"] = asdict(change.moved_by)
    if change.colors is not None:
        entry["colors"] = dict(zip(("before", "after"), change.colors, strict=True))
    if change.contrast is not None:
        entry["contrast"] = dict(zip(("before", "after"), change.contrast, strict=True))
    return entry


def change_from_json(entry: dict[str, Any]) -> Change:
    """Return the change from the result of ``change_to_json``."""
    moved, colors, contrast = (entry.get(key) for key in ("movedBy", "colors", "contrast"))
    return Change(
        kind=entry["kind"],
        box=Box(entry["x"], entry["y"], entry["width"], entry["height"]),
        pixels=entry["pixels"],
        description=entry["description"],
        moved_by=Offset(**moved) if moved else None,
        colors=(colors["before"], colors["after"]) if colors else None,
        contrast=(contrast["before"], contrast["after"]) if contrast else None,
    )
