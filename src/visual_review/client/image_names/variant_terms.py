"""The words in names about the variant of a screenshot."""

import re
from dataclasses import dataclass
from typing import Final, cast

from visual_review.variants import Device, Theme

# Exactly our devices; the words for a device leave the story's name.
DEVICES: Final[dict[str, Device]] = {
    "phone": "phone",
    "mobile": "phone",
    "tablet": "tablet",
    "desktop": "desktop",
}
# One of several models of a device. The word stays in the name, so that no two are merged.
MODELS: Final[dict[str, Device]] = {
    "laptop": "desktop",
    "ipad": "tablet",
    "iphone": "phone",
    "pixel": "phone",
    "galaxy": "phone",
}
THEMES: Final = frozenset({"light", "dark"})
BROWSERS: Final = frozenset(
    {"chromium", "chrome", "firefox", "webkit", "safari", "edge", "msedge", "electron"}
)
PLATFORMS: Final = frozenset({"linux", "darwin", "win32", "macos", "windows", "ios", "android"})
# "1280x720", and Lost Pixel's "[w375px]".
SIZE: Final = re.compile(r"(?P<width>\d{2,5})x\d{2,5}|\[w(?P<only>\d{2,5})px\]", re.IGNORECASE)
PHONE_WIDTH: Final = 600
TABLET_WIDTH: Final = 1024
_SEPARATORS: Final = re.compile(r"([-_. @]+)")
_MODEL: Final = re.compile(rf"(?P<model>{'|'.join(MODELS)})\d*", re.IGNORECASE)


@dataclass(slots=True)
class VariantTerms:
    """The variant in the words of one name; each kind of word is taken once, else empty."""

    theme: str = ""
    device: str = ""
    browser: str = ""
    platform: str = ""
    # The device of a model or a size, for a name without a device.
    nearest_device: str = ""

    def take(self, word: str) -> bool:
        """Take a whole word. False: the word has no such meaning, or its kind was found already."""
        lower = word.lower()
        if lower in THEMES and not self.theme:
            self.theme = lower
        elif lower in DEVICES and not self.device:
            self.device = DEVICES[lower]
        elif lower in BROWSERS and not self.browser:
            self.browser = lower
        elif lower in PLATFORMS and not self.platform:
            self.platform = lower
        else:
            return False
        return True

    def take_end(self, name: str, *, whole: bool) -> str:
        """Take the words at the end of ``name`` and return the rest.

        The rest is empty only if ``whole`` allows an empty rest.
        """
        # Words are at even places, separators between them.
        parts = _SEPARATORS.split(name)
        end, kept = len(parts), ""
        while end > 0:
            before, separator, word = ["", "", *parts[:end]][-3:]
            # "pixel-5", "iphone-13"
            if self.note_model(word) or (word.isdigit() and self.note_model(before)):
                kept = f"{separator}{word}{kept}"
            elif not self._has_name_before(parts, end, kept, whole=whole) or not self.take(word):
                break
            end -= 2
        rest = "".join(parts[: max(end, 0)]) + kept
        return rest if end > 0 else rest.lstrip("-_. @")

    @staticmethod
    def _has_name_before(parts: list[str], end: int, kept: str, *, whole: bool) -> bool:
        return whole or bool(kept) or any(parts[: end - 1 : 2])

    def note_model(self, word: str) -> bool:
        """Note the device of a model or a size, which stays in the name. False: neither."""
        device = device_of_model(word)
        if device is not None and not self.nearest_device:
            self.nearest_device = device
        return device is not None


def device_of_model(word: str) -> Device | None:
    """Return the device of a model or a size such as ``1280x720``."""
    if size := SIZE.fullmatch(word):
        width = int(size["width"] or size["only"])
        return "phone" if width < PHONE_WIDTH else "tablet" if width < TABLET_WIDTH else "desktop"
    model = _MODEL.fullmatch(word)
    return None if model is None else MODELS[model["model"].lower()]


def as_theme(word: str) -> Theme:
    return cast("Theme", word)


def as_device(word: str) -> Device:
    return cast("Device", word)
