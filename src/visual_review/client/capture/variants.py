"""The six variants a story is captured in."""

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple
from urllib.parse import quote

Theme = Literal["light", "dark"]
Device = Literal["phone", "tablet", "desktop"]


class Viewport(NamedTuple):
    """Size in CSS pixels; the scale is always 1, so image pixels are the same."""

    width: int
    height: int


DEVICES: Final[dict[Device, Viewport]] = {
    "phone": Viewport(390, 844),
    "tablet": Viewport(820, 1180),
    "desktop": Viewport(1440, 900),
}
THEMES: Final[tuple[Theme, ...]] = ("light", "dark")


@dataclass(frozen=True, slots=True, order=True)
class Variant:
    theme: Theme
    device: Device

    @property
    def viewport(self) -> Viewport:
        return DEVICES[self.device]

    def __str__(self) -> str:
        return f"{self.theme}-{self.device}"


ALL_VARIANTS: Final[tuple[Variant, ...]] = tuple(
    Variant(theme, device) for theme in THEMES for device in DEVICES
)


def file_name(story_id: str, variant: Variant) -> str:
    """``<storyId>--<theme>-<device>.png``.

    Storybook's own ids pass unchanged, letters of any script included. Characters that mean
    something to a file system are percent-encoded, so a hostile id stays one name in one folder.
    """
    safe = "".join(char if char.isalnum() or char in "-_" else quote(char, "") for char in story_id)
    return f"{safe.replace('.', '%2E')}--{variant}.png"
