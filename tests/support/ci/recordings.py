"""A CI job for uploading recordings: announcements, and calls over HTTP."""

import hashlib
import itertools
import json
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse

from tests.support.ci.publish_client import Job, put
from visual_review.recordings.models import Enrollment
from visual_review.repositories.models import Repository

KEYS = itertools.count(1)


def enable(repository: Repository, *, enabled: bool = True) -> None:
    Enrollment.objects.update_or_create(repository=repository, defaults={"enabled": enabled})


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True)
class Recorder:
    """Uploads recordings for a CI job."""

    job: Job

    def request_body(self, video: bytes, **facts: object) -> dict[str, Any]:
        return {
            "key": f"run-{next(KEYS)}",
            "title": "Checkout > pays by card",
            "fileName": "video.webm",
            "size": len(video),
            "sha256": sha256(video),
            **facts,
        }

    def announce(self, body: dict[str, Any]) -> dict[str, Any]:
        response = self.job.call("POST", "recordings", body)
        assert response.status_code == 200, response.content
        document: dict[str, Any] = json.loads(response.content)
        return document

    def send(
        self, announced: dict[str, Any], video: bytes, files: dict[str, bytes] | None = None
    ) -> None:
        """PUT every part missing according to the announcement."""
        for part in announced["missingParts"]:
            piece = video[part["offset"] : part["offset"] + part["size"]]
            assert put(part["url"], piece).status_code == 201
        for each in announced["missingAttachments"]:
            assert put(each["url"], (files or {})[each["name"]]).status_code == 201

    def finish(self, recording_id: str) -> HttpResponse:
        return self.job.call("POST", f"recordings/{recording_id}/finish", {})

    def show(self, recording_id: str) -> dict[str, Any]:
        response = self.job.call("GET", f"recordings/{recording_id}")
        assert response.status_code == 200, response.content
        document: dict[str, Any] = json.loads(response.content)
        return document

    def upload(
        self, video: bytes, files: dict[str, bytes] | None = None, **facts: object
    ) -> dict[str, Any]:
        """Announce, upload and finish a recording; return its state."""
        attachments = [
            {"name": name, "size": len(data), "sha256": sha256(data)}
            for name, data in (files or {}).items()
        ]
        announced = self.announce(self.request_body(video, attachments=attachments, **facts))
        self.send(announced, video, files)
        response = self.finish(announced["id"])
        assert response.status_code == 200, response.content
        document: dict[str, Any] = json.loads(response.content)
        return document
