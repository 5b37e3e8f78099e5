"""Counts the queries of a request, in this process and on the measured service's database."""

from dataclasses import dataclass
from json import dumps

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from benchmarks.page.server_times import PageError, Request
from visual_review.accounts.models import User

# The service's own host: requests for other hosts are refused.
HOST = "127.0.0.1"


@dataclass(frozen=True)
class QueryCounter:
    """A client of the same code in this process, with the usual queries for sessions."""

    client: Client

    def count(self, request: Request) -> int:
        method, path, body = request
        with CaptureQueriesContext(connection) as queries:
            response = self.client.generic(
                method,
                path,
                _encoded(body),
                "application/json",
                HTTP_ACCEPT_ENCODING="gzip",
                HTTP_HOST=HOST,
            )
        if response.status_code >= 400:  # noqa: PLR2004 - The first error status.
            raise PageError(f"{method} {path} returned {response.status_code}.")
        return len(queries)


def _encoded(body: object) -> bytes:
    return b"" if body is None else dumps(body).encode()


def query_counter(email: str) -> QueryCounter:
    client = Client()
    client.force_login(User.objects.get(email=email))
    return QueryCounter(client)
