"""The text of any result: its properties by name, lists with one line per item; pure."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from visual_review.accounts.callers import Caller
from visual_review.actions.schema import ActionResult
from visual_review.api.mcp.quoting import quote_name, quote_url
from visual_review.api.mcp.rendering.truncation import limit_lines

BUDGET: Final = 3500
PLAIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:+-]{0,79}")
OWN_TEXTS: Final = frozenset({"id", "status", "state", "kind", "role", "source"})


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
