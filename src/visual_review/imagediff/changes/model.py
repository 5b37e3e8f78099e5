"""What is found out about a difference, beyond a count of pixels."""

from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, get_args

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
# In the order in which a person wants to see them.
CHANGE_KINDS: Final[tuple[ChangeKind, ...]] = get_args(ChangeKind)


@dataclass(frozen=True, slots=True)
class Offset:
    """How far content moved, in pixels: to the right and down."""

    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Change:
    """One changed area.

    ``box`` is in pixels of the compared area; of moved content, it is where the content is now.
    ``pixels`` counts what differs in it: by more than the threshold, or, of a faint change, by less.
    ``colors`` are the main color before and after, as ``#rrggbb``; ``contrast`` is that of content
    with its background before and after, from 1 to 21 as WCAG 2 defines it, where it is like text.
    ``description`` says in a few words what happened, without the position.
    """

    kind: ChangeKind
    box: Box
    pixels: int
    description: str
    moved_by: Offset | None = None
    colors: tuple[str, str] | None = None
    contrast: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Displacement:
    """How far content moved, and the box around all that moved so, where it is now."""

    offset: Offset
    box: Box


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a change that other screenshots may share.

    Equal ``digest`` means that the same was replaced by the same, wherever it is. ``box`` is where
    it is in this screenshot, and ``what`` says in a few words what happened there. ``recolored``
    are the colors of an element of which nothing else changed, as ``#rrggbb``. ``sketch`` describes
    a small part so that it stays comparable where rounding moved an edge.
    """

    digest: str
    box: Box
    what: str
    recolored: tuple[str, str] | None = None
    sketch: str = ""


@dataclass(frozen=True, slots=True)
class Signature:
    """What changes may have in common with others.

    ``parts`` are left once moved content is in its place; None of too many to compare. ``moves``
    say how far which content moved. ``structure`` describes places and shapes without colors, for
    the comparison of variants of one story; it is empty where it does not apply.
    """

    parts: tuple[Part, ...] | None = ()
    moves: tuple[Displacement, ...] = ()
    structure: str = ""


@dataclass(frozen=True, slots=True)
class Analysis:
    """What changed between two images.

    ``changes`` begins with the worst; there are at most 50. ``kind`` is that of the screenshot, and
    ``summary`` one sentence, without a period. ``aligned_pixels`` counts what is new, lost or
    different once moved content is aligned, ``aligned_ratio`` relates it to the compared area.
    ``faint_pixels`` differ by no more than the threshold in areas that belong together;
    ``is_faintly_changed`` says whether one of these is large enough to be a change.
    ``severity`` is 0 to 1 and orders screenshots; it is no percentage.
    """

    kind: ChangeKind | None
    summary: str
    changes: tuple[Change, ...]
    aligned_pixels: int
    aligned_ratio: float
    faint_pixels: int
    is_faintly_changed: bool
    severity: float
    signature: Signature


NOTHING_CHANGED: Final = Analysis(
    None, "", (), 0, 0.0, 0, is_faintly_changed=False, severity=0.0, signature=Signature()
)


def change_to_json(change: Change) -> dict[str, Any]:
    """Return an object with the properties that ``get_build`` and reports publish."""
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
    """Return what ``change_to_json`` wrote."""
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
