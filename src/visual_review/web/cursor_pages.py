"""Pages of long lists, beginning after a row, not at an offset: new rows shift no page."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from django.core.exceptions import ValidationError
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest
from django.utils.http import urlencode

# Longer ones are of no page: names and branches are shorter.
MOST_CURSOR = 2000

Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True)
class CursorPage(Generic[Row]):
    """Some rows, and the query strings of the page after them and of the first page.

    Both strings are empty where no such page exists, or for the first page itself.
    """

    rows: list[Row]
    next_query: str
    first_query: str


def read_page(
    request: HttpRequest, rows: QuerySet[Row], order: Sequence[str], size: int
) -> CursorPage[Row]:
    """Return the page requested by the parameter ``after`` of ``request``, else the first one.

    ``order`` names columns or annotations, descending with a ``-``; none is null, and together the
    columns are unique.
    """
    ordered = rows.order_by(*order)
    cursor = request.GET.get("after", "")
    # One more than shown, to know whether others follow.
    found = list(_after(ordered, order, cursor)[: size + 1])
    shown = found[:size]
    filters = {name: str(value) for name, value in request.GET.items() if name != "after" and value}
    following = filters | {"after": _write_cursor(shown[-1], order)} if len(found) > size else {}
    return CursorPage(
        shown,
        f"?{urlencode(following)}" if following else "",
        f"?{urlencode(filters)}" if cursor else "",
    )


def _after(rows: QuerySet[Row], order: Sequence[str], cursor: str) -> QuerySet[Row]:
    values = _read_cursor(cursor, len(order))
    if not values:
        return rows
    try:
        return rows.filter(_later(order, values))
    except (ValidationError, ValueError, TypeError):
        # A cursor of another order, or typed by hand.
        return rows


def _later(order: Sequence[str], values: Sequence[str | int]) -> Q:
    """Return the condition of rows after the row with ``values``."""
    later, same = Q(), Q()
    for column, value in zip(order, values, strict=True):
        name = column.removeprefix("-")
        beyond = f"{name}__lt" if column.startswith("-") else f"{name}__gt"
        later |= same & Q(**{beyond: value})
        same &= Q(**{name: value})
    return later


def _read_cursor(text: str, columns: int) -> Sequence[str | int]:
    try:
        values = json.loads(text[:MOST_CURSOR])
    except (ValueError, RecursionError):
        return ()
    is_cursor = isinstance(values, list) and len(values) == columns
    return values if is_cursor and all(map(_is_value, values)) else ()


def _is_value(value: object) -> bool:
    # PostgreSQL has no larger integers, and no text with a zero character or half a pair.
    if isinstance(value, str):
        return "\0" not in value and value.encode(errors="ignore").decode() == value
    return isinstance(value, int) and abs(value) < 2**63


def _write_cursor(row: Model, order: Sequence[str]) -> str:
    return json.dumps(list(_values(row, order)), ensure_ascii=False)


def _values(row: Model, order: Sequence[str]) -> Iterator[object]:
    for column in order:
        value = getattr(row, column.removeprefix("-"))
        yield value.isoformat() if isinstance(value, datetime) else value
