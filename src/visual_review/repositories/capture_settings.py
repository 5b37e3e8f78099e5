"""Stored capture settings of a product, and the organization's default."""

from dataclasses import dataclass
from typing import Any

from visual_review.accounts.models import Organization
from visual_review.repositories.capture_rules import (
    Axes,
    Capabilities,
    CaptureRequest,
    CaptureSettings,
    Matrix,
    canonical_devices,
    canonical_themes,
    change_default,
    change_product,
    resolve_matrix,
)
from visual_review.repositories.models import OrganizationCapture, Product
from visual_review.variants import Device, Theme


@dataclass(frozen=True)
class CaptureDefault:
    """The organization's default, and whether its pages show the detection notice."""

    axes: Axes
    shows_notice: bool = True


def matrix_of(product: Product, default: CaptureDefault | None = None) -> Matrix:
    """Return the current matrix of the product; pass ``default`` to avoid a query per product."""
    if default is None:
        default = default_of(product.repository.organization_id)
    return resolve_matrix(settings_of(product).override, default.axes, capabilities_of(product))


def settings_of(product: Product) -> CaptureSettings:
    return CaptureSettings(_axes(product.themes, product.devices), product.detection_armed)


def capabilities_of(product: Product) -> Capabilities:
    return Capabilities(product.has_dark_mode, product.is_responsive)


def default_of(organization_id: str) -> CaptureDefault:
    return _default(OrganizationCapture.objects.filter(organization_id=organization_id).first())


def selected_default(product: Product) -> CaptureDefault:
    """Return the default of a product, read together with the organization's capture."""
    # Without a row, the attribute is missing, and no row is read again.
    return _default(getattr(product.repository.organization, "capture", None))


def _default(row: OrganizationCapture | None) -> CaptureDefault:
    if row is None:
        return CaptureDefault(Axes())
    return CaptureDefault(_axes(row.themes, row.devices), not row.hides_detection_notice)


def store_product_capture(product: Product, request: CaptureRequest) -> CaptureSettings:
    """Change the locked product as requested; return the previous settings.

    Raises InvalidInputError for a contradictory request.
    """
    before = settings_of(product)
    after = change_product(before, request)
    product.themes = _stored(after.override.themes)
    product.devices = _stored(after.override.devices)
    product.detection_armed = after.detection_armed
    product.save(update_fields=["themes", "devices", "detection_armed"])
    return before


def arm_detection(product: Product) -> bool:
    """Let the next full build of the locked product detect; return whether detection was off."""
    if product.detection_armed:
        return False
    product.detection_armed = True
    product.save(update_fields=["detection_armed"])
    return True


def store_default(
    organization_id: str, request: CaptureRequest, *, shows_notice: bool | None
) -> tuple[CaptureDefault, CaptureDefault]:
    """Change the organization's default as requested; returns the default before and after.

    ``shows_notice`` None keeps the notice. Raises InvalidInputError.
    """
    # Locking the organization serializes simultaneous calls, even before a default exists.
    Organization.objects.select_for_update(no_key=True).get(pk=organization_id)
    before = default_of(organization_id)
    axes = change_default(before.axes, request)
    after = CaptureDefault(axes, before.shows_notice if shows_notice is None else shows_notice)
    # A row is created only if there is something to store.
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


def axes_as_json(axes: Axes) -> dict[str, list[str] | None]:
    """Return the two axes as JSON, for results and the audit log."""
    return {"themes": _stored(axes.themes), "devices": _stored(axes.devices)}


def _axes(themes: Any, devices: Any) -> Axes:  # noqa: ANN401 - JSON columns.
    return Axes(
        None if themes is None else canonical_themes(themes),
        None if devices is None else canonical_devices(devices),
    )


def _stored(values: tuple[Theme, ...] | tuple[Device, ...] | None) -> list[str] | None:
    return None if values is None else list(values)
