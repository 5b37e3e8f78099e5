"""Changes as JSON, for stored verdicts and reports."""

from dataclasses import asdict
from typing import Any

from visual_review.imagediff.changes.model import Change, Offset
from visual_review.imagediff.model import Box


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
