"""One call through either door, from the same state: what it answered, and what it did."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.apps import apps
from django.db import connection, transaction

from tests.doors.keys import call
from tests.doors.mcp.client import Endpoint, Era
from visual_review.audit.models import AuditEntry

APPS = ("accounts", "audit", "billing", "builds", "recordings", "repositories")
QUEUE = "procrastinate_jobs"
# Counts of attempts, which no action touches.
KEYLESS = {"CacheEntry"}
# Where rows tell which door the change came through; compared apart from the rest.
MARKS = {"channel", "client", "decided_client", "decision_source", "source"}
UNTOLD = {"last_used_at"}
SHOWN_PROBLEMS = 20
TOKEN = re.compile(
    r"(?P<signature>\?expires=\d+&signature=\w+)|(?P<secret>\bvr_[a-z]+_[\w-]+)"
    r"|(?P<id>\b[a-z]+_[0-9a-z]{26}\b)|(?P<time>\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00))"
    r"|(?P<hash>\b[0-9a-f]{64}\b)"
)


@dataclass(frozen=True)
class Answer:
    """``result`` of a call that succeeded, else the ``words`` of its error."""

    result: dict[str, Any] | None
    words: str


@dataclass(frozen=True)
class Seen:
    """An answer and all rows after it, without what differs from run to run; ``marks`` apart.

    ``verbs`` are those of the audit entries that the call wrote.
    """

    answer: Answer
    rows: dict[str, Any]
    marks: set[str]
    verbs: set[str]
    changed: bool


def rest(key: str, action: str, payload: dict[str, Any]) -> Answer:
    response = call(key, action, payload)
    document = json.loads(response.content)
    if response.status_code == 200:
        return Answer(document["result"], "")
    faults = document.get("errors", [])[:SHOWN_PROBLEMS]
    lines = [f"- {fault['pointer'] or '/'}: {fault['detail']}" for fault in faults]
    return Answer(None, "\n".join([f"{document['title']}: {document['detail']}", *lines]))


def mcp(endpoint: Endpoint, key: str, action: str, payload: dict[str, Any], era: Era) -> Answer:
    found = endpoint.call(key, action, payload, era)
    if not found["isError"]:
        return Answer(found["structuredContent"], "")
    assert "structuredContent" not in found
    (text,) = found["content"]
    return Answer(None, text["text"])


@contextmanager
def undone() -> Iterator[None]:
    """Take back what a call did, so that each finds the same state."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def seen(asked: Callable[[], Answer]) -> Seen:
    """What ``asked`` answers and does; nothing of it stays."""
    before = _rows()
    with undone():
        answer = asked()
        after = _rows()
    known = set(_tokens(_text(before)))
    told = {
        # Rows of one statement are numbered in any order.
        table: sorted((_unmarked(row) for row in rows), key=lambda row: _masked(row, known))
        for table, rows in after.items()
    }
    written = {
        table: [row for row in rows if row not in before[table]] for table, rows in after.items()
    }
    marks = {
        row[name]
        for rows in written.values()
        for row in rows
        for name in MARKS & row.keys()
        if row[name]
    }
    verbs = {row["verb"] for row in written[AuditEntry._meta.db_table]}  # noqa: SLF001 - Django's own way.
    plain = Answer(_lasting(answer.result, known), _lasting(answer.words, known))
    return Seen(plain, _lasting(told, known), marks, verbs, changed=before != after)


def _rows() -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {table: [] for table in _tables()}
    with connection.cursor() as cursor:
        cursor.execute(
            " UNION ALL ".join(
                f"SELECT '{table}', to_jsonb(row) FROM \"{table}\" row"  # noqa: S608 - Our names.
                for table in found
            )
        )
        for table, text in cursor.fetchall():
            found[table].append(json.loads(text))
    return {table: _numberless(rows) for table, rows in found.items()}


def _numberless(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows in order, without numbers: those go on counting where a call was undone."""
    return [
        {name: row[name] for name in row.keys() - UNTOLD if (name, type(row[name])) != ("id", int)}
        for row in sorted(rows, key=_text)
    ]


@cache
def _tables() -> tuple[str, ...]:
    models = [model for app in APPS for model in apps.get_app_config(app).get_models()]
    kept = (model for model in models if model.__name__ not in KEYLESS)
    return (*(model._meta.db_table for model in kept), QUEUE)  # noqa: SLF001 - Django's own way.


def _unmarked(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in MARKS}


def _lasting(value: Any, known: set[str]) -> Any:  # noqa: ANN401 - Any JSON.
    """``value`` with a placeholder for each id, time, secret and hash that is not ``known``."""
    numbers: dict[str, str] = {}

    def placeholder(found: re.Match[str]) -> str:
        token = found.group()
        if token in known:
            return token
        return numbers.setdefault(token, f"<{found.lastgroup} {len(numbers)}>")

    return json.loads(TOKEN.sub(placeholder, _text(value)))


def _masked(row: dict[str, Any], known: set[str]) -> str:
    return TOKEN.sub(
        lambda found: found.group() if found.group() in known else f"<{found.lastgroup}>",
        _text(row),
    )


def _tokens(text: str) -> Iterator[str]:
    return (found.group() for found in TOKEN.finditer(text))


def _text(value: Any) -> str:  # noqa: ANN401 - Any JSON.
    return json.dumps(value, sort_keys=True)
