"""The CI interface of recordings over HTTP, see docs/reference/ci-interface.md."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from visual_review.client.transport.connection import Connection
from visual_review.client.transport.errors import expect_schema

UPLOADING: Final = "uploading"
UNFINISHED: Final = frozenset({"uploading", "processing"})
FAILED: Final = "failed"


@dataclass(frozen=True, slots=True)
class RecordingState:
    """Status of a recording; ``failure`` says why the video cannot be watched."""

    id: str
    status: str
    failure: str
    url: str


@dataclass(frozen=True, slots=True)
class Part:
    """Bytes ``offset`` to ``offset + size`` of the video, and their upload URL."""

    offset: int
    size: int
    url: str


@dataclass(frozen=True, slots=True)
class AnnouncedRecording:
    """An announced recording with only the missing parts; ``attachments`` are upload URLs by name."""

    state: RecordingState
    parts: tuple[Part, ...]
    attachments: Mapping[str, str]


class RecordingService(Connection):
    """Recordings and their files."""

    def announce(self, body: Mapping[str, Any]) -> AnnouncedRecording:
        """Announce a recording; a repeated call returns the parts still missing."""
        return read_announced(self.call("POST", "recordings", json=body))

    def finish(self, recording_id: str) -> RecordingState:
        """Finish the upload. Raises ConflictError with ``missing`` if files are missing."""
        return read_state(self.call("POST", f"recordings/{recording_id}/finish", json={}))

    def state(self, recording_id: str) -> RecordingState:
        return read_state(self.call("GET", f"recordings/{recording_id}"))


def read_announced(body: Mapping[str, Any]) -> AnnouncedRecording:
    with expect_schema("new recording"):
        return AnnouncedRecording(
            read_state(body),
            tuple(
                Part(int(part["offset"]), int(part["size"]), str(part["url"]))
                for part in body["missingParts"]
            ),
            {str(each["name"]): str(each["url"]) for each in body["missingAttachments"]},
        )


def read_state(body: Mapping[str, Any]) -> RecordingState:
    with expect_schema("state of the recording"):
        return RecordingState(
            str(body["id"]),
            str(body["status"]),
            str(body.get("failure") or ""),
            str(body["url"]),
        )
