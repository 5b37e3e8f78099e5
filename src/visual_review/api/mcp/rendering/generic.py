"""The text of any result: its properties by name, lists with a line for each item; pure."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from visual_review.accounts.callers import Caller
from visual_review.actions.schema import ActionResult
from visual_review.api.mcp.quoting import address, named
from visual_review.api.mcp.rendering.token_budget import filled

ROOM: Final = 3500


def text_of_any(result: ActionResult, _caller: Caller) -> str:
    lines = list(_lines(result.model_dump(mode="json"), ""))
    return "\n".join(filled(lines, str, ROOM, "lines"))


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
    """A value within a line; ``name`` is the property that holds it."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {_inline(item, key)}" for key, item in value.items())
    if isinstance(value, list):
        return f"[{', '.join(_inline(item) for item in value)}]"
    if isinstance(value, str):
        return _text(value, name)
    return json.dumps(value)


def _text(text: str, name: str) -> str:
    return address(text) if name.lower().endswith("url") else named(text)
