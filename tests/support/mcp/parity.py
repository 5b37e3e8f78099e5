"""One call through REST or MCP, from the same state: the result, and the changes."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from django.apps import apps
from django.db import connection

from tests.support.api_keys import call
from tests.support.database import rolled_back
from tests.support.mcp.endpoint import Endpoint, ProtocolVersion
from visual_review.audit.models import AuditEntry

APPS = ("accounts", "audit", "billing", "builds", "recordings", "repositories")
QUEUE = "procrastinate_jobs"
# Counts of attempts, touched by no action.
KEYLESS = {"CacheEntry"}
# Columns that name the interface of a change; compared apart from the rest.
MARKS = {"channel", "client", "decided_client", "decision_source", "source", "version"}
# Sequences continue after a rollback; the use of a key is no part of its effect.
ROW = """
    SELECT '{table}', (CASE jsonb_typeof(content -> 'id') WHEN 'number' THEN content - 'id'
        ELSE content END - 'last_used_at' - 'rejection_id')::text
    FROM (SELECT to_jsonb(stored) AS content FROM "{table}" AS stored) AS rows
"""
SHOWN_PROBLEMS = 20
# Faults named in the detail itself, before the detail counts the others.
DETAILED = 3
TOKEN = re.compile(
    r"(?P<signature>\?expires=\d+&signature=\w+)|(?P<secret>\bvr_[a-z]+_[\w-]+)"
    r"|(?P<id>\b[a-z]+_[0-9a-z]{26}\b)|(?P<time>\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00))"
    r"|(?P<hash>\b[0-9a-f]{64}\b)"
)
Row = dict[str, Any]


@dataclass(frozen=True)
class CallResult:
    """``result`` of a successful call, else the ``message`` of the error."""

    result: dict[str, Any] | None
    message: str


@dataclass(frozen=True)
class Effect:
    """A result and the added or removed rows, without values that differ from run to run.

    A changed row counts as one removed and one added. ``marks`` name the interface; ``verbs`` are
    the verbs of the call's audit entries.
    """

    outcome: CallResult
    added: dict[str, list[Row]]
    removed: dict[str, list[Row]]
    marks: set[str]
    verbs: set[str]

    @property
    def changed(self) -> bool:
        return bool(self.added or self.removed)


@dataclass(frozen=True)
class State:
    """All rows of the service, each as table name and text, with its count."""

    rows: Counter[tuple[str, str]]

    @classmethod
    def read(cls) -> "State":
        with connection.cursor() as cursor:
            cursor.execute(_query())
            return cls(Counter(cursor.fetchall()))

    @cached_property
    def tokens(self) -> set[str]:
        return {token for _, text in self.rows for token in _tokens(text)}

    def without(self, other: "State") -> dict[str, list[Row]]:
        """Return the rows by table that ``other`` does not have."""
        found: dict[str, list[Row]] = {}
        for table, text in sorted((self.rows - other.rows).elements()):
            found.setdefault(table, []).append(json.loads(text))
        return found


def call_rest(key: str, action: str, payload: dict[str, Any]) -> CallResult:
    response = call(key, action, payload)
    document = json.loads(response.content)
    if response.status_code == 200:
        return CallResult(document["result"], "")
    return CallResult(None, f"{document['title']}: {_text_for_models(document)}")


def _text_for_models(document: dict[str, Any]) -> str:
    """Return the text for models: every fault once, in the detail or in a list."""
    detail: str = document["detail"]
    summary, found, _ = detail.partition(" is not valid: ")
    if not found:
        return detail
    faults = document["errors"]
    lines = [f"- {each['pointer'] or 'body'}: {each['detail']}" for each in faults]
    counted = re.search(r"; and (\d+) more$", detail)
    count = int(counted[1]) + DETAILED if counted else len(faults)
    if count > SHOWN_PROBLEMS:
        lines[SHOWN_PROBLEMS:] = [f"- and {count - SHOWN_PROBLEMS} more"]
    return "\n".join([f"{summary} is not valid:", *lines])


def call_mcp(
    endpoint: Endpoint, key: str, action: str, payload: dict[str, Any], version: ProtocolVersion
) -> CallResult:
    found = endpoint.call(key, action, payload, version)
    if not found["isError"]:
        return CallResult(found["structuredContent"], "")
    assert "structuredContent" not in found
    (text,) = found["content"]
    return CallResult(None, text["text"])


def effect_of(ask: Callable[[], CallResult], before: State) -> Effect:
    """Return the result and the changes of ``ask`` in the state ``before``, then restore it."""
    with rolled_back():
        outcome = ask()
        after = State.read()
    added, removed = after.without(before), before.without(after)
    marks = {
        row[name]
        for rows in added.values()
        for row in rows
        for name in MARKS & row.keys()
        if row[name]
    }
    entries = added.get(AuditEntry._meta.db_table, [])  # noqa: SLF001 - Django's own way.
    known = before.tokens
    return Effect(
        CallResult(_lasting(outcome.result, known), _lasting(outcome.message, known)),
        _lasting(_comparable(added, known), known),
        _lasting(_comparable(removed, known), known),
        marks,
        {row["verb"] for row in entries},
    )


@cache
def _query() -> str:
    models = [model for app in APPS for model in apps.get_app_config(app).get_models()]
    kept = (model for model in models if model.__name__ not in KEYLESS)
    tables = [*(model._meta.db_table for model in kept), QUEUE]  # noqa: SLF001 - Django's own way.
    return " UNION ALL ".join(ROW.format(table=table) for table in tables)


def _comparable(tables: dict[str, list[Row]], known: set[str]) -> dict[str, list[Row]]:
    """Return rows without marks, in an order independent of new ids and times."""
    return {
        table: sorted(map(_unmarked, rows), key=lambda row: _masked(row, known))
        for table, rows in tables.items()
    }


def _unmarked(row: Row) -> Row:
    """Return the row without marks; evidence names the program, too, also in the audit log."""
    nested = {"after", "evidence"}
    return {
        name: _unmarked(value) if name in nested and isinstance(value, dict) else value
        for name, value in row.items()
        if name not in MARKS
    }


def _lasting(value: Any, known: set[str]) -> Any:  # noqa: ANN401 - Any JSON.
    """Return ``value`` with a placeholder for each unknown id, time, secret and hash."""
    numbers: dict[str, str] = {}

    def placeholder(found: re.Match[str]) -> str:
        token = found.group()
        if token in known:
            return token
        if found.lastgroup == "time":
            # Whether two moments of one call are the same depends on the speed of the machine.
            return "<time>"
        return numbers.setdefault(token, f"<{found.lastgroup} {len(numbers)}>")

    return json.loads(TOKEN.sub(placeholder, _text(value)))


def _masked(row: Row, known: set[str]) -> str:
    return TOKEN.sub(
        lambda found: found.group() if found.group() in known else f"<{found.lastgroup}>",
        _text(row),
    )


def _tokens(text: str) -> Iterator[str]:
    return (found.group() for found in TOKEN.finditer(text))


def _text(value: Any) -> str:  # noqa: ANN401 - Any JSON.
    return json.dumps(value, sort_keys=True)
