"""How many statements the actions send to the database: counted here, and pinned by a test."""

import ast
from collections.abc import Iterator, Sequence
from json import dumps
from pathlib import Path

from django.test import Client
from tests.support.statements import counted_statements

from benchmarks.bars import Statements
from benchmarks.load import UnexpectedResponseError
from benchmarks.requests import Call

TABLE = "QUERIES"


def pinned_statements(test: Path) -> Iterator[Statements]:
    """Yield the numbers of the test's table, which it verifies for every published action."""
    for node in ast.parse(test.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == TABLE:
            for action, count in ast.literal_eval(node.value).items():
                yield Statements(action, count, "pinned")


def count_statements(call: Call, key: str) -> Statements:
    """Make the call in this process, on the service's database, and count."""
    client = Client(headers={"authorization": f"Bearer {key}", "host": "127.0.0.1"})
    path, body = f"/api/rest/actions/{call.action}", dumps(call.arguments)
    with counted_statements() as statements:
        response = client.post(path, body, "application/json")
    if not 200 <= response.status_code < 300:  # noqa: PLR2004 - Successful status codes.
        raise UnexpectedResponseError(f"{call.action} returned {response.content[:500]!r}")
    return Statements(call.action, len(statements), "counted")


def count_all(calls: Sequence[Call], key: str) -> list[Statements]:
    return [count_statements(call, key) for call in calls]
