"""The server's times for the requests of the review page."""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Final
from uuid import uuid4

import httpx
import psutil
from scripts.demo_folder import DemoError

from benchmarks.page.results import APPROVE_ALL, DECISION, ServerRow

ROUNDS: Final = 5
WINDOW: Final = 40
TIMEOUT_SECONDS: Final = 120.0
FORM_TOKEN: Final = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
PAGE_TOKEN: Final = re.compile(r'data-csrf="([^"]+)"')

# A request as method, path and JSON; the same for the server and for counting queries.
Request = tuple[str, str, dict[str, Any] | None]


class PageError(DemoError):
    """The service's response is not a page's response; the message has the body."""


@dataclass
class Reviewer:
    """A person who is signed in, without a browser."""

    url: str
    email: str
    password: str
    web: psutil.Process
    client: httpx.Client = field(init=False)
    token: str = ""

    def __post_init__(self) -> None:
        self.client = httpx.Client(base_url=self.url, timeout=TIMEOUT_SECONDS)
        form = self.client.get("/sign-in").text
        found = FORM_TOKEN.search(form)
        values = {"login": self.email, "password": self.password}
        values["csrfmiddlewaretoken"] = found[1] if found else ""
        self.client.post("/sign-in", data=values, headers={"Referer": f"{self.url}/sign-in"})

    def open_build(self, build: str) -> None:
        found = PAGE_TOKEN.search(self.client.get(f"/builds/{build}").text)
        if not found:
            raise PageError(f"The page of {build} has no token for decisions.")
        self.token = found[1]

    def send(self, request: Request) -> httpx.Response:
        method, path, body = request
        headers = {"X-CSRFToken": self.token, "Referer": self.url}
        response = self.client.request(method, path, json=body, headers=headers)
        if response.is_error:
            raise PageError(
                f"{method} {path} returned {response.status_code}: {response.text[:300]}"
            )
        return response

    def measure(
        self, make: Callable[[], Request], rounds: int = ROUNDS
    ) -> tuple[float, float, int]:
        """Return median seconds, CPU seconds of the web process a call, and bytes sent."""
        seconds, size = [], 0
        before = _cpu_seconds(self.web)
        for _ in range(rounds):
            request = make()
            began = time.monotonic()
            response = self.send(request)
            seconds.append(time.monotonic() - began)
            size = response.num_bytes_downloaded
        return median(seconds), (_cpu_seconds(self.web) - before) / rounds, size


def _cpu_seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


CountQueries = Callable[[Request], int]


def measure_reads(
    reviewer: Reviewer, count: CountQueries, name: str, build: str
) -> list[ServerRow]:
    """Measure the page, its index, a window of the list, and one decision with its undo."""
    reviewer.open_build(build)
    index = reviewer.send(("GET", f"/builds/{build}/review.json", None)).json()
    ids = [row[0] for row in index["screenshots"]]
    window = ",".join(ids[:WINDOW])
    path = f"/builds/{build}"
    reads: Sequence[tuple[str, Request]] = (
        ("page", ("GET", path, None)),
        ("index", ("GET", f"{path}/review.json", None)),
        ("index of unchanged ones", ("GET", f"{path}/review.json?part=unchanged", None)),
        ("details of 40", ("GET", f"{path}/screenshots.json?ids={window}", None)),
        ("thumbnails of 40", ("GET", f"{path}/thumbnails?ids={window}", None)),
        ("changes since the index", ("GET", f"{path}/changes.json?since={index['cursor']}", None)),
    )
    rows = [
        ServerRow(title, name, *_with_queries(reviewer, count, request)) for title, request in reads
    ]
    return [*rows, *measure_decisions(reviewer, count, name, build, ids)]


def _with_queries(
    reviewer: Reviewer, count: CountQueries, request: Request
) -> tuple[float, float, int, int]:
    seconds, cpu, size = reviewer.measure(lambda: request)
    return seconds, cpu, count(request), size


def measure_decisions(
    reviewer: Reviewer, count: CountQueries, name: str, build: str, ids: Sequence[str]
) -> list[ServerRow]:
    turns = iter(ids[:ROUNDS])
    first = reviewer.measure(lambda: decision(build, "approved", screenshots=[next(turns)]))
    one, batch = ids[ROUNDS], list(ids[ROUNDS + 1 : ROUNDS + 1 + WINDOW])
    queries = count(decision(build, "approved", screenshots=[one]))
    several = reviewer.measure(lambda: decision(build, "approved", screenshots=batch), rounds=1)
    queries_of_several = count(decision(build, "cleared", screenshots=batch))
    decided = [*ids[: ROUNDS + 1]]
    reviewer.send(decision(build, "cleared", screenshots=decided))
    return [
        ServerRow("decision", name, first[0], first[1], queries, first[2], DECISION),
        ServerRow("decision on 40", name, several[0], several[1], queries_of_several, several[2]),
    ]


def measure_approval(reviewer: Reviewer, name: str, build: str) -> ServerRow:
    """Approve all of the build; the approval cannot be undone."""
    reviewer.open_build(build)
    body = decision(build, "approved", build=True, confirmed=["finalize", "override"])
    seconds, cpu, size = reviewer.measure(lambda: body, rounds=1)
    return ServerRow("approve all", name, seconds, cpu, None, size, APPROVE_ALL)


def decision(build_id: str, verdict: str, **targets: object) -> Request:
    body = {"requestId": str(uuid4()), "decision": verdict, "comment": "", **targets}
    return "POST", f"/builds/{build_id}/decisions", body
