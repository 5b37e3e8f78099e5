"""Reads the tables about capturing: themes, devices and stories."""

from typing import Final

from visual_review.client.capture.results import StoryRule
from visual_review.client.capture.themes import MEDIA, ThemeSetting
from visual_review.client.configuration.model import CaptureConfiguration
from visual_review.client.configuration.tables import Table
from visual_review.variants import DEVICES, THEMES, Device, Viewport

WAYS: Final = ("global", "class", "attribute", "add-on", "media")
ADD_ON: Final = "storybook-dark-mode"
DEVICE_NAMES: Final[tuple[Device, ...]] = tuple(DEVICES)
LARGEST_SIDE: Final = 8192
LONGEST_DELAY: Final = 60_000


def read_capture(table: Table) -> CaptureConfiguration:
    themes, devices = table.table("themes"), table.table("devices")
    configuration = CaptureConfiguration(
        themes=themes.choices("use", THEMES),
        candidates=_read_candidates(themes),
        devices=devices.choices("use", DEVICE_NAMES),
        sizes=_read_sizes(devices),
        stories=tuple(_read_story(each) for each in table.tables("stories")),
    )
    for each in (table, themes, devices):
        each.finish()
    return configuration


def _read_candidates(themes: Table) -> tuple[ThemeSetting, ...]:
    listed = themes.tables("candidates")
    own = [way for way in WAYS if themes.has(way)]
    if own and listed:
        themes.fail(own[0], "cannot be combined with candidates; make it the first of them")
    candidates = [_read_way(each) for each in listed]
    # Also read after listed candidates, so that all keys of the table are known.
    first = _read_way(themes, required=False)
    for each in listed:
        each.finish()
    return tuple(each for each in (first, *candidates) if each is not None)


def _read_way(table: Table, *, required: bool = True) -> ThemeSetting | None:
    """Return how the theme is switched: by exactly one of the known ways."""
    ways = {way: table.string(way) for way in WAYS[:-1]}
    media = table.boolean("media")
    light, dark, target = (
        table.scalar("light"),
        table.scalar("dark"),
        table.string("target", "html"),
    )
    given = [way for way in WAYS if table.has(way)]
    if not given:
        if required or any(table.has(key) for key in ("light", "dark", "target")):
            key = next((key for key in ("light", "dark", "target") if table.has(key)), "global")
            table.fail(
                key,
                f"needs one of {', '.join(WAYS)} next to it" if table.has(key) else "is missing",
            )
        return None
    if len(given) > 1:
        table.fail(
            given[1], f"cannot be combined with {given[0]}; write [[capture.themes.candidates]]"
        )
    match given[0]:
        case "global" | "attribute" as way:
            if dark is None:
                table.fail("dark", f"is missing: the value of the {way} in the dark theme")
            return ThemeSetting(way, ways[way], light, dark, target)
        case "class":
            _refuse(table, "class", "dark")
            return ThemeSetting("class", "", light, ways["class"], target)
        case "add-on":
            if ways["add-on"] != ADD_ON:
                table.fail("add-on", f"is not {ADD_ON!r}; of other add-ons, name the global")
            return ThemeSetting("dark-mode-addon", "", light, dark, table.string("target", "body"))
        case _:
            if media is not True:
                table.fail("media", "is not true; leave it out instead")
            return MEDIA


def _refuse(table: Table, way: str, key: str) -> None:
    if table.has(key):
        table.fail(key, f"cannot be combined with {way}, which is the dark one already")


def _read_sizes(devices: Table) -> dict[Device, Viewport]:
    sizes: dict[Device, Viewport] = {}
    for name in DEVICE_NAMES:
        size = devices.table(name)
        if devices.has(name):
            sizes[name] = Viewport(
                size.integer("width", 1, LARGEST_SIDE), size.integer("height", 1, LARGEST_SIDE)
            )
            size.finish()
    return sizes


def _read_story(table: Table) -> StoryRule:
    ids = table.strings("id")
    if not ids:
        table.fail("id", "is missing: the ID of a story, or a pattern such as 'button--*'")
    rule = StoryRule(
        ids=ids,
        themes=table.choices("themes", THEMES),
        devices=table.choices("devices", DEVICE_NAMES),
        skip=table.boolean("skip"),
        delay=table.number("delay", 0, LONGEST_DELAY),
        threshold=table.number("threshold", 0, 1),
    )
    table.finish()
    return rule
