"""The evidence of a decision through the API: the program, and what it had looked at; pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from visual_review.builds.reviewing.image_views import Viewer

NOT_FETCHED: Final = "without having fetched an image"
# What rounds to every pixel.
_WHOLE: Final = 0.995


@dataclass(frozen=True)
class SeenImage:
    """An image that was fetched before the decision, with the hashes of its visible sides.

    ``scale`` is 1.0 where every pixel was shown. A difference alone has neither side.
    """

    form: str
    scale: float
    before: str = ""
    after: str = ""


@dataclass(frozen=True)
class Evidence:
    """A decision on a whole build has no ``images`` (None): its screenshots have their own."""

    client: str
    version: str
    images: tuple[SeenImage, ...] | None = None

    @property
    def program(self) -> str:
        return " ".join(filter(None, (self.client, self.version)))

    @property
    def is_unseen(self) -> bool:
        return self.images == ()


def encode_program(viewer: Viewer | None) -> dict[str, str] | None:
    """Return the part of the evidence that does not depend on the screenshot."""
    if viewer is None:
        return None
    return {"client": viewer.client, "version": viewer.client_version}


def read_evidence(stored: Mapping[str, Any] | None) -> Evidence | None:
    """Return the evidence of an entry of the review log; None for decisions on the pages."""
    if stored is None:
        return None
    images = stored.get("images")
    found = None if images is None else tuple(_read_image(image) for image in images)
    return Evidence(stored["client"], stored["version"], found)


def describe_images(evidence: Evidence) -> str:
    """Return ``looked at before and after`` with the best scale, or that no image was fetched."""
    if evidence.images is None:
        return ""
    if not evidence.images:
        return NOT_FETCHED
    sides = [side for side in ("before", "after") if any(vars(i)[side] for i in evidence.images)]
    if not sides:
        return "looked at the difference only"
    scale = max(image.scale for image in evidence.images)
    shown = " and ".join(sides)
    return f"looked at {shown}" if scale >= _WHOLE else f"looked at {shown} at {scale:.0%}"


def _read_image(image: Mapping[str, Any]) -> SeenImage:
    return SeenImage(image["form"], image["scale"], image.get("before", ""), image.get("after", ""))
