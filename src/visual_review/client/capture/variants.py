"""The six variants a story is captured in."""

import hashlib
from dataclasses import dataclass
from typing import Final

from visual_review.variants import DEVICES, THEMES, Device, Theme

# In bytes. Most file systems have 255; some is left for an extension while a file is written.
LONGEST_NAME: Final = 240


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

    Storybook's own IDs stay unchanged, including letters of any script. Characters with a meaning
    for file systems are percent-encoded, so a malicious ID cannot leave the folder. Capital letters
    are encoded, too, so two IDs never share a file where case does not count.
    """
    ending = f"--{variant}.png"
    pieces = [_encode(char) for char in story_id]
    if _size(pieces) + len(ending) <= LONGEST_NAME:
        return "".join(pieces) + ending
    # No encoded ID contains a plus, so no other story has this name.
    ending = f"+{hashlib.sha256(story_id.encode()).hexdigest()[:16]}{ending}"
    while _size(pieces) + len(ending) > LONGEST_NAME:
        pieces.pop()
    return "".join(pieces) + ending


def _encode(char: str) -> str:
    folded = char.casefold() if len(char.casefold()) == 1 else char.lower()
    if folded == char and (char.isalnum() or char in "-_"):
        return char
    return "".join(f"%{byte:02X}" for byte in char.encode())


def _size(pieces: list[str]) -> int:
    return sum(len(piece.encode()) for piece in pieces)
