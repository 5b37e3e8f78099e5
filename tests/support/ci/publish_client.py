"""A CI job for tests: images, and calls over HTTP without a browser's cookies."""

import hashlib
import io
import itertools
import json
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.test import Client
from PIL import Image

from tests.support.personas import Persona
from visual_review.repositories.connect import connect_repository
from visual_review.repositories.models import Repository

NONCES = itertools.count(1)
DESKTOP = {"themes": ["light"], "devices": ["desktop"]}


@dataclass(frozen=True)
class PngImage:
    """A PNG image with its size."""

    data: bytes
    width: int
    height: int

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    def sized_shot(self, story: str) -> dict[str, Any]:
        """Return the announcement to a service whose storage receives images directly."""
        return {**self.shot(story), "size": len(self.data)}

    def shot(self, story: str, theme: str = "light", device: str = "desktop") -> dict[str, Any]:
        return {
            "storyId": story,
            "title": story.title(),
            "theme": theme,
            "device": device,
            "sha256": self.sha256,
            "width": self.width,
            "height": self.height,
        }


def make_image(color: str = "red", width: int = 8, height: int = 6) -> PngImage:
    file = io.BytesIO()
    Image.new("RGB", (width, height), color).save(file, "PNG")
    return PngImage(file.getvalue(), width, height)


@dataclass(frozen=True)
class Job:
    """One CI machine with a project token; the token may be invalid."""

    token: str | None
    repository: Repository

    def call(self, method: str, path: str, body: object = None, **more: str) -> HttpResponse:
        """Call the CI interface; ``body`` is sent as JSON, bytes unchanged."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {} if self.token is None else {"Authorization": f"Bearer {self.token}"}
        more.setdefault("CONTENT_TYPE", "application/json")
        client = Client(enforce_csrf_checks=True, raise_request_exception=False)
        response: HttpResponse = client.generic(
            method, f"/api/ci/{path}", b"" if method == "GET" else data, headers=headers, **more
        )
        return response

    def plan(self, **query: str) -> dict[str, Any]:
        response = self.call("GET", "capture-plan", QUERY_STRING=_query(query))
        return _expect(response, 200)

    def request_body(self, **facts: object) -> dict[str, Any]:
        return {
            "nonce": f"run-{next(NONCES)}",
            "branch": "main",
            "commit": "c0ffee1c0ffee1c0ffee1c0ffee1c0ffee1c0ff",
            "matrix": DESKTOP,
            **facts,
        }

    def create(self, **facts: object) -> dict[str, Any]:
        return _expect(self.call("POST", "builds", self.request_body(**facts)), 200)

    def announce(
        self, build: dict[str, Any], *shots: dict[str, Any], shard: int = 1
    ) -> dict[str, Any]:
        path = f"builds/{build['id']}/screenshots"
        return _expect(self.call("POST", path, {"shard": shard, "screenshots": list(shots)}), 200)

    def finish(self, build: dict[str, Any], shard: int = 1) -> dict[str, Any]:
        path = f"builds/{build['id']}/finish"
        return _expect(self.call("POST", path, {"shard": shard}), 200)

    def show(self, build: dict[str, Any]) -> dict[str, Any]:
        return _expect(self.call("GET", f"builds/{build['id']}"), 200)

    def publish(self, images: dict[str, PngImage], **facts: object) -> dict[str, Any]:
        """Publish a build with one shard; ``images`` by story ID."""
        build = self.create(**facts)
        shots = [each.shot(story) for story, each in images.items()]
        by_hash = {each.sha256: each.data for each in images.values()}
        for upload in self.announce(build, *shots)["uploads"]:
            assert put(upload["url"], by_hash[upload["sha256"]]).status_code == 201
        self.finish(build)
        return build


def put(url: str, data: bytes, **more: str) -> HttpResponseBase:
    """PUT the bytes to a signed URL, unchanged and without the token."""
    path, _, query = url.partition("?")
    # The test client omits the length of an empty body; HTTP clients do not.
    more.setdefault("CONTENT_LENGTH", str(len(data)))
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    return client.generic(
        "PUT",
        "/blobs/" + path.partition("/blobs/")[2],
        data,
        "image/png",
        QUERY_STRING=query,
        **more,
    )


def connect(persona: Persona, name: str = "acme/web") -> Job:
    """Connect a repository of the persona's organization; return a job for publishing to it."""
    connected = connect_repository(persona.organization.id, name, "main")
    return Job(connected.token, connected.repository)


def problem_of(response: HttpResponseBase, status: int) -> dict[str, Any]:
    """Check the status of the response and return the problem document."""
    assert isinstance(response, HttpResponse)
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    document: dict[str, Any] = json.loads(response.content)
    assert document["status"] == status
    assert document["detail"]
    return document


def _expect(response: HttpResponse, status: int) -> dict[str, Any]:
    assert response.status_code == status, response.content
    document: dict[str, Any] = json.loads(response.content)
    return document


def _query(values: dict[str, str]) -> str:
    return "&".join(f"{name}={value}" for name, value in values.items())
