"""Capture settings as JSON: a product's, and the organization's default; with warnings."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Self

from pydantic import Field

from visual_review.actions.identifiers import RepoId
from visual_review.actions.schema import ActionResult
from visual_review.repositories.capture_rules import (
    CaptureRequest,
    CaptureSettings,
    Matrix,
    MatrixSource,
)
from visual_review.repositories.capture_settings import (
    CaptureDefault,
    axes_as_json,
    capabilities_of,
    settings_of,
)
from visual_review.repositories.models import Product
from visual_review.repositories.regions import Rectangle
from visual_review.variants import Device, Theme

# An omitted key must mean the same in every writing action.
ProductKey = Annotated[
    str | None,
    Field(
        description="Omitted: the default product. The default product is 'default' if ever "
        "published, else the product that was published first.",
        examples=["default"],
    ),
]
_MOST_PLACES: Final = 5


class ChosenAxes(ActionResult):
    """The chosen themes and devices; null where none were."""

    themes: list[Theme] | None = Field(
        description="The override of themes; null: none.", examples=[["light"]]
    )
    devices: list[Device] | None = Field(
        description="The override of devices; null: none.", examples=[None]
    )


class CapabilitiesResult(ActionResult):
    """The detected capabilities; null until the first full build was measured."""

    dark_mode: bool | None = Field(
        description="Whether stories differ between light and dark; null: not detected yet.",
        examples=[True],
    )
    responsive: bool | None = Field(
        description="Whether stories differ between devices; null: not detected yet.",
        examples=[False],
    )


class ProductCaptureResult(ActionResult):
    """``themes`` x ``devices`` is what the next builds capture; the sources say why.

    While ``detectionArmed``, the next full build captures all six variants to measure them.
    """

    repo_id: RepoId
    product_key: str = Field(description="The product's key.", examples=["default"])
    themes: list[Theme] = Field(
        description="The themes that the next builds capture.", examples=[["light"]]
    )
    devices: list[Device] = Field(
        description="The devices that the next builds capture.", examples=[["desktop"]]
    )
    source: MatrixSource = Field(
        description="The stronger source of the two axes, override first.", examples=["override"]
    )
    themes_source: MatrixSource = Field(
        description="Where the themes come from; all: nothing is chosen or detected.",
        examples=["override"],
    )
    devices_source: MatrixSource = Field(
        description="Where the devices come from; all: nothing is chosen or detected.",
        examples=["detected"],
    )
    override: ChosenAxes = Field(description="The choice for the product.")
    capabilities: CapabilitiesResult = Field(description="What detection found.")
    detection_armed: bool = Field(
        description="Whether the next full build captures all six variants to detect them.",
        examples=[False],
    )

    @classmethod
    def of(cls, product: Product, effective: Matrix) -> Self:
        settings: CaptureSettings = settings_of(product)
        measured = capabilities_of(product)
        return cls(
            repo_id=product.repository_id,
            product_key=product.key,
            themes=list(effective.themes),
            devices=list(effective.devices),
            source=effective.source,
            themes_source=effective.themes_source,
            devices_source=effective.devices_source,
            override=ChosenAxes.model_validate(axes_as_json(settings.override)),
            capabilities=CapabilitiesResult(
                dark_mode=measured.has_dark_mode, responsive=measured.is_responsive
            ),
            detection_armed=product.detection_armed,
        )


class OrganizationCaptureResult(ActionResult):
    """The default of every product without an override; null: detected automatically."""

    themes: list[Theme] | None = Field(
        description="The default themes; null: detected automatically.", examples=[["light"]]
    )
    devices: list[Device] | None = Field(
        description="The default devices; null: detected automatically.", examples=[None]
    )
    shows_detection_notice: bool = Field(
        description="Whether pages show what detection found.", examples=[True]
    )

    @classmethod
    def of(cls, default: CaptureDefault) -> Self:
        return cls.model_validate(
            {**axes_as_json(default.axes), "shows_detection_notice": default.shows_notice}
        )


def warn_of_cleared_override(
    before: CaptureSettings,
    after: CaptureSettings,
    request: CaptureRequest,
    where: Mapping[str, str],
) -> list[str]:
    """Return a warning if the request cleared an override by omitting its values.

    ``where`` is the input naming the product. A requested reset needs no warning.
    """
    old, new = axes_as_json(before.override), axes_as_json(after.override)
    cleared = {name: old[name] for name in old if old[name] is not None and new[name] is None}
    if request.reset_to_auto or not cleared:
        return []
    lost = " and ".join(f"{name} ({', '.join(chosen or ())})" for name, chosen in cleared.items())
    again = {**where, **{name: new[name] or old[name] for name in old if new[name] or old[name]}}
    text = (
        f"The override of {lost} was cleared, because a call without it makes it automatic. "
        f"To set it again, call set_repo_capture with {json.dumps(again)}."
    )
    return [text]


def warn_of_unseen_story(story_id: str, near: Sequence[str]) -> str:
    """Return the warning for regions of a story unknown to all builds."""
    meant = f" Did you mean {' or '.join(map(_quoted, near))}?" if near else ""
    return (
        f"No stored build of this product has the story {_quoted(story_id)}, so the regions "
        f"have no effect until one does.{meant}"
    )


def _quoted(name: str) -> str:
    # Names are written by others: invisible characters are escaped, letters of any script stay.
    return json.dumps(name, ensure_ascii=not name.isprintable())


def warn_of_altered_regions(rectangles: Sequence[Rectangle]) -> list[str]:
    """Return warnings for rectangles stored differently than sent."""
    empty = [place for place, each in enumerate(rectangles) if each.clipped().is_empty]
    clipped = [
        place for place, each in enumerate(rectangles) if each.reaches_beyond and place not in empty
    ]
    texts = (
        (empty, "Regions without an area inside the image were left out"),
        (clipped, "Regions that reach beyond the image were clipped"),
    )
    return [f"{text}: {_places(places)}." for places, text in texts if places]


def _places(places: Sequence[int]) -> str:
    named = ", ".join(f"/regions/{place}" for place in places[:_MOST_PLACES])
    more = len(places) - _MOST_PLACES
    return f"{named} and {more} more" if more > 0 else named


def warn_of_uncaptured(theme: Theme, device: Device, matrix: Matrix) -> str:
    """Return the warning for regions of a variant not captured by the next builds."""
    return (
        f"The next builds do not capture {theme}/{device}: they capture the themes "
        f"{', '.join(matrix.themes)} on {', '.join(matrix.devices)}. set_repo_capture changes that."
    )


def is_captured(theme: Theme, device: Device, matrix: Matrix, *, armed: bool) -> bool:
    """Return whether the next full build captures the variant."""
    # An armed detection captures all six.
    return armed or (theme, device) in matrix.variants
