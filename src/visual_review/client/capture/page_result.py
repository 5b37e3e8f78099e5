"""A page's result for a story: checked, because the story may have changed it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from visual_review.client.capture.errors import PageError
from visual_review.client.capture.results import Note, Region, clip_regions

MAX_TEXT: Final = 2000
MAX_ITEMS: Final = 200
# No page is that large; larger numbers are no longer exact.
MAX_LENGTH: Final = 100_000_000


@dataclass(frozen=True, slots=True)
class Outcome:
    kind: str
    message: str = ""
    phase: str = ""


@dataclass(frozen=True, slots=True)
class Gesture:
    """``kind`` is hover, focus or click; ``x`` and ``y`` are pixels of the viewport."""

    kind: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class PageResult:
    """A story on the page, before its image."""

    outcome: Outcome
    skip: bool = False
    # Whether only ``Page.stayed_quiet`` shows, after the image, if the story is at rest.
    early: bool = False
    width: int = 0
    height: int = 0
    threshold: float | None = None
    delay: float = 0.0
    # Empty for a story at rest.
    unstable: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    # Names of ``MEDIA_FEATURES`` for the browser to emulate before the image.
    media: tuple[str, ...] = ()
    # Actions of the browser's pointer before the image.
    gestures: tuple[Gesture, ...] = ()
    # The part of the page in the image, if not all.
    clip: Region | None = None
    notes: tuple[Note, ...] = ()
    regions: tuple[Region, ...] = ()
    leftovers: tuple[str, ...] = ()
    loaded_by_file: tuple[str, ...] = ()
    loaded_by_story: tuple[str, ...] = ()
    # Of a new page with its first story, in the words of ``leftovers``.
    attributes: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    times: Mapping[str, float] = field(default_factory=dict)

    @property
    def regions_in_image(self) -> tuple[Region, ...]:
        if self.clip is None:
            return self.regions
        x, y = self.clip.x, self.clip.y
        moved = (replace(each, x=each.x - x, y=each.y - y) for each in self.regions)
        return clip_regions(tuple(moved), self.clip.width, self.clip.height)

    def with_unstable(self, reasons: tuple[str, ...]) -> "PageResult":
        # The page may have noticed the same.
        noticed = "; ".join(self.unstable)
        new = tuple(each for each in reasons if each not in noticed)
        return replace(self, unstable=(*self.unstable, *new))


def parse_page_result(raw: object) -> PageResult:
    """Raises ``PageError`` for anything but a result of the page's scripts."""
    result = _object(raw, "result")
    outcome = _object(result.get("outcome"), "outcome")
    threshold = result.get("threshold")
    return PageResult(
        outcome=Outcome(
            _text(outcome.get("kind"), "outcome"),
            _text(outcome.get("message") or "", "message"),
            _text(outcome.get("phase") or "", "phase"),
        ),
        skip=result.get("skip") is True,
        early=result.get("early") is True,
        width=_length(result.get("width", 0), "width"),
        height=_length(result.get("height", 0), "height"),
        threshold=None if threshold is None else _number(threshold, "threshold"),
        delay=max(0.0, _number(result.get("delay") or 0, "delay")),
        unstable=_texts(result, "unstable"),
        doubts=_texts(result, "doubts"),
        media=_texts(result, "media"),
        gestures=tuple(_gesture(each) for each in _list(result, "gestures")),
        clip=_region(result["clip"]) if result.get("clip") else None,
        notes=tuple(_note(each) for each in _list(result, "notes")),
        regions=tuple(_region(each) for each in _list(result, "regions")),
        leftovers=_texts(result, "leftovers"),
        loaded_by_file=_texts(result, "loadedByFile"),
        loaded_by_story=_texts(result, "loadedByStory"),
        attributes=_texts(result, "attributes"),
        parameters=_object(result.get("parameters") or {}, "parameters"),
        times=_times(_object(result.get("times") or {}, "time")),
    )


def parse_leftovers(raw: object) -> tuple[str, ...]:
    """Return the leftovers of a story. Raises ``PageError``."""
    return _texts(_object(raw, "result"), "leftovers")


def _bad(name: str) -> PageError:
    return PageError(
        f"The page returned a {name} that is not one: a story must not change the functions "
        "that browsers provide."
    )


def _object(value: object, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _bad(name)
    return value


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise _bad(name)
    return value[:MAX_TEXT]


def _number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise _bad(name)
    return float(value)


def _length(value: object, name: str) -> int:
    number = _number(value, name)
    if not 0 <= number <= MAX_LENGTH:
        raise _bad(name)
    return math.ceil(number)


def _list(result: dict[str, Any], name: str) -> list[Any]:
    value = result.get(name) or []
    if not isinstance(value, list):
        raise _bad(name)
    return value[:MAX_ITEMS]


def _texts(result: dict[str, Any], name: str) -> tuple[str, ...]:
    return tuple(_text(each, name) for each in _list(result, name))


def _times(values: dict[str, Any]) -> dict[str, float]:
    """Return seconds."""
    return {name: _number(values.get(name, 0), "time") / 1000 for name in ("show", "settle")}


def _note(value: object) -> Note:
    note = _object(value, "note")
    return Note(_text(note.get("kind"), "note"), _text(note.get("detail") or "", "note"))


def _gesture(value: object) -> Gesture:
    gesture = _object(value, "gesture")
    x, y = (_number(gesture.get(name), "gesture") for name in ("x", "y"))
    return Gesture(_text(gesture.get("kind"), "gesture"), x, y)


def _region(value: object) -> Region:
    region = _object(value, "region")
    return Region(*(_length(region.get(name), "region") for name in ("x", "y", "width", "height")))
