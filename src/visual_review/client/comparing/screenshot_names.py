"""Read story and variant from the names that people and tools give to screenshots; pure.

Groups only say what screenshots share, so a name that is read wrongly hides no change.
"""

import re
from dataclasses import dataclass
from typing import Final

THEMES: Final = frozenset({"light", "dark"})
_BROWSERS: Final = frozenset(
    {"chromium", "chrome", "firefox", "webkit", "safari", "edge", "msedge", "electron"}
)
_SYSTEMS: Final = frozenset({"linux", "darwin", "win32", "macos", "windows"})
_DEVICES: Final = frozenset(
    {"phone", "mobile", "tablet", "desktop", "laptop", "iphone", "ipad", "android", "pixel"}
)
_POSITIONS: Final = frozenset({"landscape", "portrait"})
_VARIANT_PARTS: Final = _BROWSERS | _SYSTEMS | _DEVICES | _POSITIONS | THEMES
_SIZE: Final = re.compile(r"\d{2,5}x\d{2,5}", re.IGNORECASE)
# A breakpoint counts only behind several dashes: "menu-item-s" may be a story.
_BREAKPOINT: Final = re.compile(r"-{2,}(xs|s|sm|m|md|l|lg|x{1,3}l)$")
_SEPARATORS: Final = re.compile(r"[-_. @]+")
# What tools append to the name of a test file, or put around screenshots.
_SNAPSHOTS: Final = re.compile(
    r"(\.(visual|spec|test|e2e|cy|stories|story))*(\.[cm]?[jt]sx?)?-snapshots$"
)
_PLAIN_FOLDERS: Final = frozenset({"__snapshots__", "__screenshots__", "__image_snapshots__"})
_OWN_NAME: Final = re.compile(r"(?P<story>.+)--(?P<variant>(light|dark)-(phone|tablet|desktop))")
_OWN_FILE: Final = re.compile(r"(light|dark)-(phone|tablet|desktop)")


@dataclass(frozen=True, slots=True)
class ScreenshotName:
    """What a file name says; ``family`` is what the story belongs to, such as a component.

    ``theme`` and ``device`` are empty where the name has none; ``device`` names browser and
    system, too.
    """

    family: str
    story: str
    theme: str
    device: str


def parse_name(name: str) -> ScreenshotName:
    """Return family, story and variant of a path with slashes; every name has some."""
    *folders, file = name.split("/")
    stem = file.rpartition(".")[0] or file
    places, parts = _split_folders(folders)
    if _OWN_FILE.fullmatch(stem) and places:
        # story/light-phone.png
        places, stem = places[:-1], f"{places[-1]}--{stem}"
    if own := _OWN_NAME.fullmatch(stem):
        theme, device = own["variant"].split("-")
        component = own["story"].partition("--")[0]
        return _make_name(places, component, own["story"], (theme, device))
    rest, found = _split_stem(stem.removesuffix(".snap"))
    parts += found
    theme = next((part for part in parts if part in THEMES), "")
    if not theme:
        theme, rest = _take_theme(rest)
    device = " ".join(part for part in parts if part not in THEMES)
    family = "" if places else _SEPARATORS.split(rest)[0]
    return _make_name(places, family, rest, (theme, device))


def _make_name(
    places: list[str], family: str, story: str, variant: tuple[str, str]
) -> ScreenshotName:
    folder = "/".join(places)
    joined = "/".join(part for part in (folder, family) if part)
    return ScreenshotName(joined or story, "/".join([*places, story]), *variant)


def _split_folders(folders: list[str]) -> tuple[list[str], list[str]]:
    """Return the folders that name the story, and parts of the others that name a variant."""
    places, parts = [], []
    for folder in folders:
        lower = folder.lower()
        if lower in _VARIANT_PARTS or _SIZE.fullmatch(lower):
            parts.append(lower)
        elif lower not in _PLAIN_FOLDERS:
            places.append(_SNAPSHOTS.sub("", folder))
    return places, parts


def _split_stem(stem: str) -> tuple[str, list[str]]:
    """Return the name without the parts of its variant at the end, and these in their order."""
    parts: list[str] = []
    while True:
        before, part = _last_part(stem)
        previous = _last_part(before)[1].lower() if before else ""
        # "pixel-5", "iphone-13"
        is_model = part.isdigit() and previous in _DEVICES
        if not before or not (part.lower() in _VARIANT_PARTS or _SIZE.fullmatch(part) or is_model):
            break
        parts.insert(0, part.lower())
        stem = before
    if parts and (breakpoint_ := _BREAKPOINT.search(stem)):
        return stem[: breakpoint_.start()], [breakpoint_[1], *parts]
    return stem, parts


def _last_part(stem: str) -> tuple[str, str]:
    parts = list(_SEPARATORS.finditer(stem))
    if not parts:
        return "", stem
    return stem[: parts[-1].start()], stem[parts[-1].end() :]


def _take_theme(story: str) -> tuple[str, str]:
    """Return the only part that is a theme, and the name without it."""
    parts = _SEPARATORS.split(story)
    found = [part for part in parts if part.lower() in THEMES]
    if len(found) != 1 or len(parts) == 1:
        return "", story
    parts.remove(found[0])
    return found[0].lower(), "-".join(parts)
