"""Capture settings as JSON: a product's settings, and the organization's default."""

from typing import Annotated, Self

from pydantic import Field

from visual_review.actions.identifiers import RepoId
from visual_review.actions.schema import ActionResult
from visual_review.repositories.capture_rules import CaptureSettings, Matrix, MatrixSource
from visual_review.repositories.capture_settings import (
    CaptureDefault,
    axes_as_json,
    capabilities_of,
    settings_of,
)
from visual_review.repositories.models import Product
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
