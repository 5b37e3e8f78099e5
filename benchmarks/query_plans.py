"""The plans of a call's queries: rows read, and tables read as a whole."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from django.db import connection

READS: Final = ("SELECT", "WITH", "(SELECT")
# Statements that change something are planned, and not run twice.
CHANGES: Final = ("INSERT ", "UPDATE ", "DELETE ", "PROCRASTINATE_", "PG_NOTIFY", "NEXTVAL")
# Fewer than in any table that grows.
FEW_ROWS: Final = 100


@dataclass(frozen=True)
class ExplainedQuery:
    """A query with the buffers of 8 KB read, and the tables read as a whole.

    ``rows`` is the largest number of rows read by a step of the plan, ``searches`` how often an
    index was descended.
    """

    sql: str
    buffers: int
    scanned: frozenset[str]
    rows: int
    searches: int


@contextmanager
def plans_by_index() -> Iterator[None]:
    """Read small tables by their indexes too, like large tables."""
    settings = ("enable_seqscan", "enable_bitmapscan")
    with connection.cursor() as cursor:
        for name in settings:
            cursor.execute(f"SET {name} = off")
        yield
        for name in settings:
            cursor.execute(f"RESET {name}")


@contextmanager
def explain_queries() -> Iterator[list[ExplainedQuery]]:
    """Explain each query of the block before the run; the database's own work is not counted."""
    queries: list[ExplainedQuery] = []

    def run(execute: Callable[..., object], sql: str, params: object, *more: object) -> object:
        if explained := _explain(sql, params):
            queries.append(explained)
        return execute(sql, params, *more)

    with connection.execute_wrapper(run):
        yield queries


def _explain(sql: str, params: object) -> ExplainedQuery | None:
    text = sql if isinstance(sql, str) else sql.as_string(connection.connection)
    words = text.lstrip().upper()
    is_change = any(each in words for each in CHANGES) and not words.startswith('SELECT "')
    if not words.startswith((*READS, "INSERT", "UPDATE", "DELETE")):
        return None
    options = "FORMAT JSON" if is_change else "ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON"
    with connection.create_cursor() as cursor:
        cursor.execute(f"EXPLAIN ({options}) {text}", params)
        (found,) = cursor.fetchone()
    steps = list(_steps((json.loads(found) if isinstance(found, str) else found)[0]["Plan"]))
    return ExplainedQuery(
        text,
        steps[0].get("Shared Hit Blocks", 0) + steps[0].get("Shared Read Blocks", 0),
        frozenset(each["Relation Name"] for each in steps if _reads_whole_table(each)),
        max(_rows_read(each) for each in steps),
        sum(each.get("Index Searches", 0) for each in steps),
    )


def _steps(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for part in plan.get("Plans", ()):
        yield from _steps(part)


def _reads_whole_table(step: dict[str, Any]) -> bool:
    # A scan for EXISTS may end at one of the first rows; the number is unknown before a run.
    ends_early = "Actual Rows" in step and _rows_read(step) <= FEW_ROWS
    return step["Node Type"] == "Seq Scan" and not ends_early


def _rows_read(step: dict[str, Any]) -> int:
    each = step.get("Actual Rows", 0) + step.get("Rows Removed by Filter", 0)
    return int(each * step.get("Actual Loops", 0))
