"""The layouts of known tools: where the files are, and how the names are read."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from visual_review.client.image_names.readers import (
    OWN_NAME,
    NameParts,
    read_backstop,
    read_loki,
    read_own,
    read_path,
)


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
