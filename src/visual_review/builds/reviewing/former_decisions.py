"""What a request replaced, as JSON, so that it can be undone exactly."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from visual_review.builds.models import Build, Screenshot
from visual_review.builds.reviewing.decision_conflicts import SelectedShot

SHOT_FIELDS: Final = (
    "review_decision",
    "decision_source",
    "decided_by_id",
    "decided_by_name",
    "decided_client",
    "decided_at",
    "comment",
    "carried_from_id",
)
BUILD_FIELDS: Final = (
    "review_state",
    "decided_by_id",
    "decided_by_name",
    "decided_client",
    "decision_source",
    "decided_at",
)
TIME: Final = "decided_at"


def encode_former(shots: Iterable[SelectedShot], build: Build | None) -> dict[str, Any]:
    """Return what is replaced: decisions, and the build's state if that changes, too.

    Undecided screenshots, which are most, are left out.
    """
    return {
        "shots": {
            shot.id: [_encode(getattr(shot, name)) for name in SHOT_FIELDS]
            for shot in shots
            if shot.review_decision
        },
        "build": build and [_encode(getattr(build, name)) for name in BUILD_FIELDS],
    }


def former_shots(former: Mapping[str, Any]) -> dict[str, Screenshot]:
    """Return the decided screenshots by id, with the columns of their decision only."""
    return {
        shot_id: Screenshot(pk=shot_id, **_decode(SHOT_FIELDS, values))
        for shot_id, values in former["shots"].items()
    }


def former_build(former: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the columns of the build's former state; None if the request did not change it."""
    values = former["build"]
    return None if values is None else _decode(BUILD_FIELDS, values)


def _encode(value: Any) -> Any:  # noqa: ANN401 - A column's value.
    return value.isoformat() if isinstance(value, datetime) else value


def _decode(fields: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    decoded = dict(zip(fields, values, strict=True))
    if decoded[TIME] is not None:
        decoded[TIME] = datetime.fromisoformat(decoded[TIME])
    return decoded
