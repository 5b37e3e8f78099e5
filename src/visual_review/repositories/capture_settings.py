"""Capture settings as they are stored: of a product, and of the organization as its default."""

from dataclasses import dataclass
from typing import Any

from visual_review.accounts.models import Organization
from visual_review.repositories.capture_rules import (
    Axes,
    Capabilities,
    Device,
    Matrix,
    Request,
    Settings,
    Theme,
    canonical_devices,
    canonical_themes,
    change_default,
    change_product,
    matrix,
)
from visual_review.repositories.models import OrganizationCapture, Product


@dataclass(frozen=True)
class Default:
    """The organization's default, and whether its pages show the detection notice."""

    axes: Axes
    shows_notice: bool = True


def matrix_of(product: Product, default: Default | None = None) -> Matrix:
    """What the product captures now; whoever asks for several hands the default in."""
    if default is None:
        default = default_of(product.repository.organization_id)
    return matrix(settings_of(product).override, default.axes, capabilities_of(product))


def settings_of(product: Product) -> Settings:
    return Settings(_axes(product.themes, product.devices), product.detection_armed)


def capabilities_of(product: Product) -> Capabilities:
    return Capabilities(product.has_dark_mode, product.is_responsive)


def default_of(organization_id: str) -> Default:
    row = OrganizationCapture.objects.filter(organization_id=organization_id).first()
    if row is None:
        return Default(Axes())
    return Default(_axes(row.themes, row.devices), not row.hides_detection_notice)


def store_product_capture(product: Product, request: Request) -> Settings:
    """Change the locked product as asked and return what it was before.

    Raises InvalidInputError for a request that contradicts itself.
    """
    before = settings_of(product)
    after = change_product(before, request)
    product.themes = _stored(after.override.themes)
    product.devices = _stored(after.override.devices)
    product.detection_armed = after.detection_armed
    product.save(update_fields=["themes", "devices", "detection_armed"])
    return before


def store_default(
    organization_id: str, request: Request, *, shows_notice: bool | None
) -> tuple[Default, Default]:
    """Change the organization's default as asked; returns it before and after.

    ``shows_notice`` None leaves the notice as it is. Raises InvalidInputError.
    """
    # The organization's row orders two callers at once, also before a default exists.
    Organization.objects.select_for_update(no_key=True).get(pk=organization_id)
    before = default_of(organization_id)
    axes = change_default(before.axes, request)
    after = Default(axes, before.shows_notice if shows_notice is None else shows_notice)
    # A row is made only when there is something to say.
    if after != before:
        OrganizationCapture.objects.update_or_create(
            organization_id=organization_id,
            defaults={
                "themes": _stored(after.axes.themes),
                "devices": _stored(after.axes.devices),
                "hides_detection_notice": not after.shows_notice,
            },
        )
    return before, after


def described(axes: Axes) -> dict[str, list[str] | None]:
    """The two axes as JSON, for results and the audit log."""
    return {"themes": _stored(axes.themes), "devices": _stored(axes.devices)}


def _axes(themes: Any, devices: Any) -> Axes:  # noqa: ANN401 - JSON columns.
    return Axes(
        None if themes is None else canonical_themes(themes),
        None if devices is None else canonical_devices(devices),
    )


def _stored(values: tuple[Theme, ...] | tuple[Device, ...] | None) -> list[str] | None:
    return None if values is None else list(values)
