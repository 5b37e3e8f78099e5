"""The six variants a story is captured in."""

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple
from urllib.parse import quote

Theme = Literal["light", "dark"]
Device = Literal["phone", "tablet", "desktop"]


class Viewport(NamedTuple):
    """Size in CSS pixels, which are image pixels: the scale is always 1."""

    width: int
    height: int


# For captures without a server; a capture plan has the sizes of all captures it is compared with.
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

    def __str__(self) -> str:
        return f"{self.theme}-{self.device}"


ALL_VARIANTS: Final[tuple[Variant, ...]] = tuple(
    Variant(theme, device) for theme in THEMES for device in DEVICES
)


def file_name(story_id: str, variant: Variant) -> str:
    """``<storyId>--<theme>-<device>.png``.

    Storybook's own IDs stay unchanged, including letters of any script. Characters with a
    meaning for file systems are percent-encoded, so a malicious ID cannot leave the folder.
    """
    safe = "".join(char if char.isalnum() or char in "-_" else quote(char, "") for char in story_id)
    return f"{safe.replace('.', '%2E')}--{variant}.png"
