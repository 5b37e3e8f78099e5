"""Which types of content a message may have, and which its sender takes; pure."""

import re
from typing import Final

from visual_review.api.json_bodies import JSON_TYPE

_UTF8: Final = frozenset({"utf-8", "utf8"})
_RANGES: Final = frozenset({JSON_TYPE, "application/*", "*/*"})
_NEVER: Final = re.compile(r"0(\.0*)?")


def is_json(content_type: str) -> bool:
    """Whether a body of this type is JSON in UTF-8, the only encoding JSON has."""
    kind, parameters = _parts(content_type)
    return kind == JSON_TYPE and parameters.get("charset", "utf-8") in _UTF8


def takes_json(accept: str) -> bool:
    """Whether whoever sends this ``Accept`` takes JSON; who sends none takes anything."""
    return not accept.strip() or any(_names_json(part) for part in accept.split(","))


def _names_json(text: str) -> bool:
    kind, parameters = _parts(text)
    return kind in _RANGES and not _NEVER.fullmatch(parameters.get("q", "1"))


def _parts(text: str) -> tuple[str, dict[str, str]]:
    """The type and its parameters, all in lower case."""
    kind, *rest = (part.strip() for part in text.lower().split(";"))
    named = (part.partition("=") for part in rest)
    return kind, {name.strip(): value.strip().strip('"') for name, _, value in named}
