"""Capture settings as JSON: those of a product, and the organization's default."""

from typing import Self

from visual_review.actions.schema import ActionResult
from visual_review.repositories.capture_rules import (
    CaptureSettings,
    Device,
    Matrix,
    MatrixSource,
    Theme,
)
from visual_review.repositories.capture_settings import (
    CaptureDefault,
    axes_as_json,
    capabilities_of,
    settings_of,
)
from visual_review.repositories.models import Product


class ChosenAxes(ActionResult):
    """The chosen themes and devices; null where none were."""

    themes: list[Theme] | None
    devices: list[Device] | None


class CapabilitiesResult(ActionResult):
    """The detected capabilities; null until the first full build was measured."""

    dark_mode: bool | None
    responsive: bool | None


class ProductCaptureResult(ActionResult):
    """``themes`` x ``devices`` is what the next builds capture; the sources say why.

    While ``detectionArmed``, the next full build captures all six variants to measure them.
    """

    repo_id: str
    product_key: str
    themes: list[Theme]
    devices: list[Device]
    source: MatrixSource
    themes_source: MatrixSource
    devices_source: MatrixSource
    override: ChosenAxes
    capabilities: CapabilitiesResult
    detection_armed: bool

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

    themes: list[Theme] | None
    devices: list[Device] | None
    shows_detection_notice: bool

    @classmethod
    def of(cls, default: CaptureDefault) -> Self:
        return cls.model_validate(
            {**axes_as_json(default.axes), "shows_detection_notice": default.shows_notice}
        )
