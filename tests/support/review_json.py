"""Reads the JSON of a build's review page like the page's scripts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.test import Client

from visual_review.builds.models import Build

COLUMNS: Final = (
    *("id", "story", "theme", "device", "state", "decision", "group", "kind", "severity"),
    *("ratio", "width", "height", "flags", "person", "message"),
)


@dataclass(frozen=True)
class ReviewJson:
    """A response of the index or of the changes, with rows by story."""

    body: Mapping[str, Any]

    @property
    def cursor(self) -> str:
        return str(self.body["cursor"])

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [self._read(row) for row in self.body["screenshots"]]

    def row(self, story: str) -> dict[str, Any]:
        return next(row for row in self.rows if row["story"] == story)

    def _read(self, values: list[Any]) -> dict[str, Any]:
        row = dict(zip(COLUMNS, values, strict=True))
        row["story"], row["title"] = self.body["stories"][row["story"]]
        for name, table in (("person", "people"), ("message", "messages"), ("kind", "kinds")):
            row[name] = self.body[table][row[name]] if row[name] >= 0 else ""
        return row


def read_index(client: Client, build: Build, query: str = "") -> ReviewJson:
    return ReviewJson(get_json(client, f"/builds/{build.id}/review.json{query}"))


def read_changes(client: Client, build: Build, since: str) -> ReviewJson:
    return ReviewJson(get_json(client, f"/builds/{build.id}/changes.json?since={since}"))


def get_json(client: Client, url: str) -> dict[str, Any]:
    response = client.get(url)
    assert response.status_code == 200, response.content
    found: dict[str, Any] = response.json()
    return found
