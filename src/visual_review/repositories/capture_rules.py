"""Rules for the captured variants of a product; pure."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeVar

from visual_review.kernel.errors import InvalidInputError
from visual_review.variants import DEVICES, THEMES, Device, Theme

MatrixSource = Literal["override", "organization", "detected", "all"]
AxisT = TypeVar("AxisT", Theme, Device)

# The captured variants of a product without dark mode, or with a single layout.
PLAIN_THEMES: Final[tuple[Theme, ...]] = ("light",)
PLAIN_DEVICES: Final[tuple[Device, ...]] = ("desktop",)
_RANK: Final[tuple[MatrixSource, ...]] = ("override", "organization", "detected", "all")


@dataclass(frozen=True)
class Axes:
    """Chosen themes and devices in canonical order; None where nothing was chosen."""

    themes: tuple[Theme, ...] | None = None
    devices: tuple[Device, ...] | None = None


@dataclass(frozen=True)
class Capabilities:
    """The detected capabilities; None where none was detected yet."""

    has_dark_mode: bool | None = None
    is_responsive: bool | None = None


@dataclass(frozen=True)
class Matrix:
    """The captured themes and devices, and where each of the two axes comes from."""

    themes: tuple[Theme, ...]
    devices: tuple[Device, ...]
    themes_source: MatrixSource
    devices_source: MatrixSource

    @property
    def source(self) -> MatrixSource:
        """The strongest source of the two axes."""
        return min(self.themes_source, self.devices_source, key=_RANK.index)

    @property
    def variants(self) -> tuple[tuple[Theme, Device], ...]:
        return tuple((theme, device) for theme in self.themes for device in self.devices)


@dataclass(frozen=True)
class CaptureSettings:
    """A product's own settings: the override of each axis, and whether detection is armed."""

    override: Axes
    detection_armed: bool


@dataclass(frozen=True)
class CaptureRequest:
    """A requested change of capture settings, of a product or an organization."""

    themes: Collection[Theme] | None = None
    devices: Collection[Device] | None = None
    reset_to_auto: bool = False
    redetect: bool = False

    def check(self) -> None:
        """Raise InvalidInputError for an empty choice, or a choice together with a reset."""
        for name, values in (("themes", self.themes), ("devices", self.devices)):
            if values is None:
                continue
            # Empty could mean nothing or everything; an omitted axis is chosen automatically.
            if not values:
                problem = "must name at least one; omit it to have it chosen automatically"
                raise InvalidInputError(f"'{name}' {problem}.", [(f"/{name}", problem)])
            if self.reset_to_auto:
                problem = f"cannot be sent together with '{name}'; send one of the two"
                raise InvalidInputError(f"'resetToAuto' {problem}.", [("/resetToAuto", problem)])

    def axes(self) -> Axes:
        return Axes(
            None if self.themes is None else canonical_themes(self.themes),
            None if self.devices is None else canonical_devices(self.devices),
        )


def canonical_themes(themes: Collection[Theme]) -> tuple[Theme, ...]:
    """Return the themes without duplicates, light first."""
    return tuple(theme for theme in THEMES if theme in themes)


def canonical_devices(devices: Collection[Device]) -> tuple[Device, ...]:
    """Return the devices without duplicates, smallest first."""
    return tuple(device for device in DEVICES if device in devices)


def resolve_matrix(override: Axes, default: Axes, capabilities: Capabilities) -> Matrix:
    """For each axis: the override, else the organization's default, else detection, else all."""
    themes, themes_source = _axis(
        (override.themes, default.themes),
        (THEMES, PLAIN_THEMES),
        capable=capabilities.has_dark_mode,
    )
    devices, devices_source = _axis(
        (override.devices, default.devices),
        (tuple(DEVICES), PLAIN_DEVICES),
        capable=capabilities.is_responsive,
    )
    return Matrix(themes, devices, themes_source, devices_source)


def _axis(
    chosen: tuple[tuple[AxisT, ...] | None, tuple[AxisT, ...] | None],
    possible: tuple[tuple[AxisT, ...], tuple[AxisT, ...]],
    *,
    capable: bool | None,
) -> tuple[tuple[AxisT, ...], MatrixSource]:
    override, default = chosen
    every, plain = possible
    if override is not None:
        return override, "override"
    if default is not None:
        return default, "organization"
    if capable is None:
        return every, "all"
    return (every if capable else plain), "detected"


def change_product(current: CaptureSettings, request: CaptureRequest) -> CaptureSettings:
    """Return the product's settings after ``request``; raises InvalidInputError.

    Without axes, or with a reset, the override is removed; an omitted axis is left to the
    default or to detection.
    """
    request.check()
    return CaptureSettings(
        override=request.axes(),
        # Only detection itself, after a full build, disarms detection.
        detection_armed=current.detection_armed or request.redetect,
    )


def change_default(current: Axes, request: CaptureRequest) -> Axes:
    """Return the organization's default after ``request``; an omitted axis stays. Raises too."""
    request.check()
    if request.reset_to_auto:
        return Axes()
    requested = request.axes()
    changed = current
    if requested.themes is not None:
        changed = replace(changed, themes=requested.themes)
    if requested.devices is not None:
        changed = replace(changed, devices=requested.devices)
    return changed
