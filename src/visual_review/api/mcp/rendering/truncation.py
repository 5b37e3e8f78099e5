"""Structured content that fits: REST's result, without what a model misses least; pure.

Every property keeps its name and type; lists and strings are truncated, and a sentence says so.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from pydantic_core import from_json

from visual_review.actions.encoding import encode_result
from visual_review.actions.schema import ActionResult
from visual_review.api.mcp.rendering.token_counts import (
    count_json_tokens,
    dump_json,
    fits,
    fits_encoded,
)

JsonObject = dict[str, Any]
# Longer than any id or name that a call may need.
LONG: Final = 300
# Each is tried if the one before was too long.
LENGTHS: Final = (LONG, 40, 10)
MORE: Final = "more"
ELSEWHERE: Final = "REST returns everything in one response."


@dataclass(frozen=True)
class TruncatedResult:
    """An object as JSON; ``left_out`` says what is missing and how to get it, if anything is."""

    structured: bytes
    left_out: str = ""


def truncate_result(result: ActionResult, budget: int, note_tokens: int) -> TruncatedResult:
    """Fit a result into ``budget`` tokens, or ``note_tokens`` fewer if it must be truncated."""
    encoded = encode_result(result)
    if fits_encoded(encoded, budget):
        return TruncatedResult(encoded)
    whole = from_json(encoded)
    budget -= note_tokens
    for length in LENGTHS:
        fitted, missing = _fitted(whole, length, budget)
        if fits(fitted, budget):
            break
    if missing and MORE in fitted:
        # Also true of a list that is shortened here.
        fitted = {**fitted, MORE: True}
    return TruncatedResult(dump_json(fitted).encode(), describe_omissions(missing, ELSEWHERE))


def describe_omissions(parts: Iterable[str], alternative: str) -> str:
    """Describe what is missing; truncated strings say so themselves."""
    omitted = ", ".join(parts)
    return f"{omitted}. {alternative}" if omitted else ""


def truncate_strings(value: Any, length: int = LONG, name: str = "") -> Any:  # noqa: ANN401 - JSON.
    """Truncate every string in ``value`` to ``length`` bytes; ``name`` is its property."""
    if isinstance(value, dict):
        return {key: truncate_strings(item, length, key) for key, item in value.items()}
    if isinstance(value, list):
        return [truncate_strings(item, length) for item in value]
    if not isinstance(value, str) or len(value.encode()) <= length:
        return value
    # Half an id or URL is useless, so they are kept in full as long as that helps.
    if name.lower().endswith(("id", "url")) and length >= LONG:
        return value
    kept = value.encode()[:length].decode(errors="ignore")
    return f"{kept}… ({len(value) - len(kept):,} more characters)"


def take_fitting(items: Iterable[JsonObject], budget: int) -> Iterator[JsonObject]:
    """Yield the first items that fit into ``budget`` tokens."""
    for item in items:
        # One more for the comma between two.
        budget -= count_json_tokens(item) + 1
        if budget < 0:
            return
        yield item


def _fitted(whole: JsonObject, length: int, budget: int) -> tuple[JsonObject, list[str]]:
    """Truncate the longest lists of ``whole``; returns the result, and what is missing."""
    lists = sorted(_lists(whole), key=lambda path: len(dump_json(_at(whole, path))))
    fitted, missing = whole, []
    for path in lists:
        fitted = _replaced(fitted, path, [])
    fitted = truncate_strings(fitted, length)
    for path in lists:
        items = _at(whole, path)
        shorter = (truncate_strings(item, length) for item in items)
        kept = list(take_fitting(shorter, budget - count_json_tokens(fitted)))
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
