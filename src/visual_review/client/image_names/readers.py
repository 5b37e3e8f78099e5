"""Read the path of one image file, as different tools and people write and arrange such files."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from visual_review.client.image_names.variant_terms import VariantTerms
from visual_review.variants import DEVICES, THEMES

# Folders added by tools around their screenshots.
PLAIN_FOLDERS: Final = frozenset({"__screenshots__", "__snapshots__", "__image_snapshots__"})
TEST_FILE: Final = re.compile(
    r"(\.(visual|spec|test|e2e|cy|stories|story|browser))*(\.[cm]?[jt]sx?)?(-snapshots)?$"
)
SNAPSHOT: Final = re.compile(r"[-.]snap$")
ATTEMPT: Final = re.compile(r" \(attempt \d+\)$")
OWN_NAME: Final = re.compile(
    rf"(?P<story>.+)--(?P<theme>{'|'.join(THEMES)})-(?P<device>{'|'.join(DEVICES)})", re.DOTALL
)
# Six parts; a scenario may have underscores, and the selector of a page is "document". BackstopJS
# removes most characters, so a scenario may have no name left, and a selector such as "*" is empty.
BACKSTOP_NAME: Final = re.compile(
    r"(?P<scenario>.+)_(?P<place>\d+)_(?P<selector>.*?)_\d+_(?P<viewport>.+)"
)
BACKSTOP_ID: Final = re.compile(r"^backstop_default_(?=.)")
# Loki's own configurations name one model for each device.
LOKI_TARGETS: Final = frozenset({"chrome", "ios", "android"})
LOKI_DEVICES: Final = {"laptop": "desktop", "iphone7": "phone"}


@dataclass(frozen=True, slots=True)
class NameParts:
    """The parts of one path; a missing part is empty."""

    folders: tuple[str, ...]
    name: str
    theme: str = ""
    device: str = ""
    browser: str = ""
    platform: str = ""


def read_own(path: str) -> NameParts | None:
    """Read ``<storyId>--<theme>-<device>``; folders have no meaning."""
    match = OWN_NAME.fullmatch(split_path(path)[1])
    if match is None:
        return None
    return NameParts((), unquote(match["story"]), match["theme"], match["device"])


def read_path(path: str) -> NameParts:
    """Read the words at the end of the name and folders named like one; every path has a story."""
    folders, stem = split_path(path)
    stem = SNAPSHOT.sub("", ATTEMPT.sub("", stem)) or stem
    terms, places = VariantTerms(), list_places(folders)
    # "home/dark.png" is the story "home", but "dark/dark.png" needs a name.
    has_place = any(not VariantTerms().take(place) for place in places)
    rest = terms.take_end(stem, whole=has_place)
    kept = [place for place in reversed(places) if not terms.take(place)][::-1]
    for place in reversed(kept):
        terms.note_model(place)
    name = rest or kept.pop()
    return make_parts(tuple(kept), name, terms)


def read_backstop(path: str) -> NameParts | None:
    """Read BackstopJS's six parts; folders have no meaning."""
    match = BACKSTOP_NAME.fullmatch(split_path(path)[1])
    if match is None:
        return None
    name = BACKSTOP_ID.sub("", match["scenario"])
    if (match["place"], match["selector"]) != ("0", "document"):
        name = f"{name}_{match['place']}_{match['selector']}"
    terms = VariantTerms()
    label = terms.take_end(match["viewport"], whole=True)
    return make_parts((), f"{name}_{label}" if label else name, terms)


def read_loki(path: str) -> NameParts:
    """Read the configuration in front of the story's name; folders have no meaning."""
    rest = split_path(path)[1]
    terms = VariantTerms()
    first, _, others = rest.partition("_")
    if first in LOKI_TARGETS and others and terms.take(first):
        rest = others
    first, _, others = rest.partition("_")
    if first in LOKI_DEVICES and others:
        terms.device, rest = LOKI_DEVICES[first], others
    first, _, others = rest.partition("_")
    # Titles of stories begin with a capital letter, names of configurations do not.
    if first in THEMES and others and terms.take(first):
        rest = others
    return make_parts((), rest, terms)


def make_parts(folders: tuple[str, ...], name: str, terms: VariantTerms) -> NameParts:
    device = terms.device or terms.nearest_device
    return NameParts(folders, name, terms.theme, device, terms.browser, terms.platform)


def split_path(path: str) -> tuple[list[str], str]:
    """Return the folders and the file's name without extension."""
    *folders, file = path.split("/")
    return folders, file.rpartition(".")[0] or file


def list_places(folders: list[str]) -> list[str]:
    """Return the folders naming the shown component, without a tool's folders for a test file."""
    places = [TEST_FILE.sub("", each) or each for each in folders if each not in PLAIN_FOLDERS]
    return [place for place in places if place not in ("", ".", "..")]


@dataclass(frozen=True, slots=True)
class Preset:
    """One layout of files and names."""

    name: str
    # Found only in paths of this layout's files, including the folders above.
    sign: re.Pattern[str]
    read: Callable[[str], NameParts | None] = read_path
    # Whether reading the names as plain names gives another meaning.
    distinct: bool = False


_TEST: Final = r"[^/]+\.(?:spec|test)\.[cm]?[jt]sx?"
_SYSTEM: Final = r"-(?:linux|darwin|win32)"
_BACKSTOP: Final = r"_\d+_[^/]*_\d+_[^/]+$"

OWN: Final = Preset(
    "visual-review",
    re.compile(rf"(?:^|/){OWN_NAME.pattern}\.[^/.]+$", re.DOTALL),
    read_own,
    distinct=True,
)
PLAIN: Final = Preset("plain", re.compile(""))
# The first fitting preset is named; presets reading all names alike need no choice.
PRESETS: Final[tuple[Preset, ...]] = (
    OWN,
    Preset(
        "loki", re.compile(r"/\.loki/(?:reference|current|difference)/"), read_loki, distinct=True
    ),
    Preset(
        "backstop",
        re.compile(rf"/bitmaps_(?:reference|test)/.*{_BACKSTOP}|/backstop_[^/]+{_BACKSTOP}"),
        read_backstop,
        distinct=True,
    ),
    Preset(
        "vitest",
        re.compile(rf"/__screenshots__/{_TEST}/[^/]+-[a-z]+{_SYSTEM}\.\w+$"),
    ),
    Preset(
        "playwright",
        re.compile(rf"/{_TEST}-snapshots/|/__screenshots__/(?:.*/)?{_TEST}/|{_SYSTEM}\.\w+$"),
    ),
    Preset("cypress", re.compile(r"/cypress/(?:screenshots|snapshots)/|[^/]\.cy\.[cm]?[jt]sx?/")),
    Preset("image-snapshot", re.compile(r"/__image_snapshots__/|[-.]snap\.\w+$")),
    Preset("storycap", re.compile(r"/__screenshots__/")),
    PLAIN,
)
BY_NAME: Final = {preset.name: preset for preset in PRESETS}
