"""Reads server-sent events as a browser does, one after the other."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx

TIMEOUT_SECONDS = 30


@dataclass
class EventReader:
    """An open stream; its lines so far without the one that was read."""

    response: httpx.Response
    lines: Iterator[str]

    def cursor(self) -> str:
        """Wait for the next event, and return its cursor."""
        name = ""
        for line in self.lines:
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: ") and name == "changed":
                data: dict[str, Any] = json.loads(line.removeprefix("data: "))
                return str(data["cursor"])
        raise AssertionError("The stream ended without another event.")

    def rest(self) -> list[str]:
        """Wait for the end of the stream, and return the lines until then."""
        return list(self.lines)


@contextmanager
def reading_events(client: httpx.Client, url: str) -> Iterator[EventReader]:
    with client.stream("GET", url, timeout=TIMEOUT_SECONDS) as response:
        yield EventReader(response, response.iter_lines())
