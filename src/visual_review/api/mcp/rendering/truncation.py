"""Structured content within limits: REST's result, without the least important parts; pure.

Every property keeps its name and type; lists and strings are truncated, and a sentence says so.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase, punctuation
from typing import Any, Final, TypeVar

from pydantic_core import from_json

from visual_review.accounts.callers import Caller
from visual_review.actions.schema import MOST_ROWS, ActionResult
from visual_review.api.mcp.quoting import quote_name, quote_url

T = TypeVar("T")
# For lists with as many items as their limit.
OLDER: Final = f"There are older {{}}; a higher limit returns more, up to {MOST_ROWS:,}."
BUDGET: Final = 3500
PLAIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:+-]{0,79}")
OWN_TEXTS: Final = frozenset({"id", "status", "state", "kind", "role", "source"})


def limit_lines(
    items: Sequence[T], write: Callable[[T], str], budget: int, what: str
) -> Iterator[str]:
    """Write the first items in ``budget`` tokens, then how many of ``what`` are left out."""
    left = budget
    uncounted: list[str] = []
    most = 0
    for index, item in enumerate(items):
        line = write(item)
        # No text has more tokens than bytes, so the first lines fit in any case.
        most += len(line.encode())
        if most > left:
            left -= sum(map(count_tokens, (*uncounted, line)))
            if left < 0:
                yield f"- and {len(items) - index:,} more {what}, not listed here"
                return
            uncounted, most = [], 0
        else:
            uncounted.append(line)
        yield line


# Every byte by its kind: a lowercase letter, an uppercase one, other ASCII, or itself.
_KINDS: Final = bytes.maketrans(
    (ascii_lowercase + ascii_uppercase + punctuation).encode(), b"a" * 26 + b"A" * 26 + b"!" * 32
)
_RUNS: Final = ((b"aaa", b"b"), (b"aa", b"b"), (b"a", b"b"), (b"!!", b"?"))
# An uppercase letter counts with the letters after it, a space with the character after it.
_JOINED: Final = (b"Ab", b" b", b" A", b" ?", b" !")

LONGEST_PIECE: Final = 5


def count_tokens(text: str) -> int:
    """Return an upper estimate of the tokens of ``text``."""
    return count_encoded_tokens(text.encode())


def count_encoded_tokens(text: bytes) -> int:
    """Return an upper estimate of the tokens of ``text`` in UTF-8."""
    # A regular expression would be clearer, but took half the time of a call.
    pieces = text.translate(_KINDS)
    for run, piece in _RUNS:
        pieces = pieces.replace(run, piece)
    return len(pieces) - sum(map(pieces.count, _JOINED))


def fits(value: Any, budget: int) -> bool:  # noqa: ANN401 - Any JSON.
    """Whether ``value`` takes at most ``budget`` tokens as JSON."""
    return fits_encoded(dump_json(value).encode(), budget)


def fits_encoded(text: bytes, budget: int) -> bool:
    """Whether ``text`` takes at most ``budget`` tokens; fast for a text far too long."""
    if len(text) > budget * LONGEST_PIECE:
        return False
    # Counting takes a tenth of a call; a short text fits even without the shorter pieces.
    kinds = text.translate(_KINDS)
    most = len(text) - 2 * kinds.count(b"aaa") - kinds.count(b"!!")
    return most <= budget or count_encoded_tokens(text) <= budget


def count_json_tokens(value: Any) -> int:  # noqa: ANN401 - Any JSON.
    """Return an upper estimate for ``value`` as JSON, as clients give JSON to their model."""
    return count_tokens(dump_json(value))


def dump_json(value: Any) -> str:  # noqa: ANN401 - Any JSON.
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


JsonObject = dict[str, Any]
# Longer than any id or name needed in a call.
LONG: Final = 300
# Each is tried if the one before was too long.
LENGTHS: Final = (LONG, 40, 10)
MORE: Final = "more"
ELSEWHERE: Final = "REST returns everything in one response."


@dataclass(frozen=True)
class TruncatedResult:
    """An object as JSON; ``left_out`` says how to get the omissions, and is empty without any."""

    structured: bytes
    left_out: str = ""


def truncate_result(result: ActionResult, budget: int, note_tokens: int) -> TruncatedResult:
    """Fit a result into ``budget`` tokens, or ``note_tokens`` fewer if truncation is necessary."""
    encoded = result.to_json()
    if fits_encoded(encoded, budget):
        return TruncatedResult(encoded)
    whole = from_json(encoded)
    budget -= note_tokens
    for length in LENGTHS:
        fitted, missing = _fitted(whole, length, budget)
        if fits(fitted, budget):
            break
    if missing and MORE in fitted:
        # A list shortened here has more items, too.
        fitted = {**fitted, MORE: True}
    return TruncatedResult(dump_json(fitted).encode(), describe_omissions(missing, ELSEWHERE))


def describe_omissions(parts: Iterable[str], alternative: str) -> str:
    """Describe the omissions; truncated strings mention their own truncation."""
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
    # Half an id or URL is useless, so ids and URLs are kept in full for as long as possible.
    if name.lower().endswith(("id", "url")) and length >= LONG:
        return value
    kept = value.encode()[:length].decode(errors="ignore")
    return f"{kept}… ({len(value) - len(kept):,} more characters)"


def take_fitting(items: Iterable[JsonObject], budget: int) -> Iterator[JsonObject]:
    """Yield the first items within ``budget`` tokens."""
    for item in items:
        # One more for the comma between two.
        budget -= count_json_tokens(item) + 1
        if budget < 0:
            return
        yield item


def _fitted(whole: JsonObject, length: int, budget: int) -> tuple[JsonObject, list[str]]:
    """Truncate the longest lists of ``whole``; return the result, and the omissions."""
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


def render_any(result: ActionResult, _caller: Caller) -> str:
    lines = list(_lines(result.model_dump(mode="json"), ""))
    return "\n".join(limit_lines(lines, str, BUDGET, "lines"))


def _lines(values: Mapping[str, Any], indent: str) -> Iterator[str]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield f"{indent}{name}:"
            yield from _lines(value, f"{indent}  ")
        elif isinstance(value, list):
            yield f"{indent}{name}: {len(value):,}"
            yield from (f"{indent}- {_inline(item)}" for item in value)
        else:
            yield f"{indent}{name}: {_inline(value, name)}"


def _inline(value: object, name: str = "") -> str:
    """Return a value as part of a line; ``name`` is its property."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {_inline(item, key)}" for key, item in value.items())
    if isinstance(value, list):
        return f"[{', '.join(_inline(item) for item in value)}]"
    if isinstance(value, str):
        return _text(value, name)
    return json.dumps(value)


def _text(text: str, name: str) -> str:
    if name.lower().endswith("url"):
        return quote_url(text)
    # Only such texts are the service's own; everything else may be a choice of others.
    own = name in OWN_TEXTS or name.endswith(("Id", "At", "State", "Status"))
    return text if own and PLAIN.fullmatch(text) else quote_name(text)
