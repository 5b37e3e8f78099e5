"""The themes and devices in which stories are captured, for the service and for its clients."""

from typing import Final, Literal, NamedTuple

Theme = Literal["light", "dark"]
Device = Literal["phone", "tablet", "desktop"]


class Viewport(NamedTuple):
    """Size in CSS pixels, equal to image pixels: the scale is always 1."""

    width: int
    height: int


THEMES: Final[tuple[Theme, ...]] = ("light", "dark")
# Smallest first. A capture plan sends the sizes, so that all captures of a product agree; a capture
# without a server reads the sizes here. `python -m scripts.generate_docs` writes the sizes into the
# reference and into the npm package.
DEVICES: Final[dict[Device, Viewport]] = {
    "phone": Viewport(390, 844),
    "tablet": Viewport(820, 1180),
    "desktop": Viewport(1440, 900),
}


def describe_devices() -> str:
    """Return the devices with their sizes, such as "phone 390 x 844, tablet 820 x 1180"."""
    return ", ".join(f"{device} {size.width} x {size.height}" for device, size in DEVICES.items())
