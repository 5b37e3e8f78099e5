"""Structured content that fits: REST's result as it is, or without what a model misses least; pure.

Every property keeps its name and type; lists lose their ends, texts too, and a sentence says so.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from visual_review.actions.schema import ActionResult
from visual_review.api.mcp.rendering.token_counts import as_json, fits, json_tokens

JsonObject = dict[str, Any]
# Longer than any id or name that a call could need.
LONG: Final = 300
# Each is tried when the one before was too much.
LENGTHS: Final = (LONG, 40, 10)
ELSEWHERE: Final = "REST gives everything in one answer."


@dataclass(frozen=True)
class Shortened:
    """``left_out`` says what is missing and how to get it; empty where nothing is."""

    structured: JsonObject
    left_out: str = ""


def shortened(result: ActionResult, room: int, telling: int) -> Shortened:
    """The result in at most ``room`` tokens, or in ``telling`` fewer when it has to be cut."""
    whole = result.model_dump(mode="json")
    if fits(whole, room):
        return Shortened(whole)
    room -= telling
    for length in LENGTHS:
        fitted, missing = _fitted(whole, length, room)
        if fits(fitted, room):
            break
    return Shortened(fitted, with_omissions_noted(missing, ELSEWHERE))


def with_omissions_noted(parts: Iterable[str], way: str) -> str:
    """A sentence on what is missing; nothing where only texts were cut, which tell it themselves."""
    told = ", ".join(parts)
    return f"{told}. {way}" if told else ""


def with_cut_texts(value: Any, length: int = LONG, name: str = "") -> Any:  # noqa: ANN401 - JSON.
    """``value`` with every text cut to ``length`` bytes; ``name`` is the property it stands in."""
    if isinstance(value, dict):
        return {key: with_cut_texts(item, length, key) for key, item in value.items()}
    if isinstance(value, list):
        return [with_cut_texts(item, length) for item in value]
    if not isinstance(value, str) or len(value.encode()) <= length:
        return value
    # Half an id or address leads nowhere, hence they are kept whole as long as that helps.
    if name.lower().endswith(("id", "url")) and length >= LONG:
        return value
    kept = value.encode()[:length].decode(errors="ignore")
    return f"{kept}… ({len(value) - len(kept):,} more characters)"


def fitting(items: Iterable[JsonObject], room: int) -> Iterator[JsonObject]:
    """The first items that fit into ``room`` tokens."""
    for item in items:
        # One more for the comma between two.
        room -= json_tokens(item) + 1
        if room < 0:
            return
        yield item


def _fitted(whole: JsonObject, length: int, room: int) -> tuple[JsonObject, list[str]]:
    """``whole`` with its longest lists cut from the end, and what is missing."""
    lists = sorted(_lists(whole), key=lambda path: len(as_json(_at(whole, path))))
    fitted, missing = whole, []
    for path in lists:
        fitted = _replaced(fitted, path, [])
    fitted = with_cut_texts(fitted, length)
    for path in lists:
        items = _at(whole, path)
        cut = (with_cut_texts(item, length) for item in items)
        kept = list(fitting(cut, room - json_tokens(fitted)))
        fitted = _replaced(fitted, path, kept)
        if len(kept) < len(items):
            missing.append(f"{len(items) - len(kept):,} of {len(items):,} {path[-1]}")
    return fitted, missing


def _lists(value: JsonObject, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, item in value.items():
        if isinstance(item, list):
            yield (*path, name)
        elif isinstance(item, dict):
            yield from _lists(item, (*path, name))


def _at(value: JsonObject, path: tuple[str, ...]) -> list[Any]:
    for name in path[:-1]:
        value = value[name]
    return list(value[path[-1]])


def _replaced(value: JsonObject, path: tuple[str, ...], items: list[Any]) -> JsonObject:
    name, *rest = path
    return {**value, name: _replaced(value[name], tuple(rest), items) if rest else items}
