"""The CI interface of recordings over HTTP, as docs/reference/ci-interface.md has it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from visual_review.client.transport.connection import Connection
from visual_review.client.transport.schemas import shape

WAITS_FOR_FILES: Final = "uploading"
UNFINISHED: Final = frozenset({"uploading", "processing"})
FAILED: Final = "failed"


@dataclass(frozen=True, slots=True)
class State:
    """How far a recording is; ``failure`` says why it cannot be watched."""

    id: str
    status: str
    failure: str
    url: str


@dataclass(frozen=True, slots=True)
class Part:
    """Bytes ``offset`` to ``offset + size`` of the video, and where they go."""

    offset: int
    size: int
    url: str


@dataclass(frozen=True, slots=True)
class Announced:
    """``attachments`` are addresses by name; both hold only what is still missing."""

    state: State
    parts: tuple[Part, ...]
    attachments: Mapping[str, str]


class RecordingService(Connection):
    """Recordings and their files."""

    def announce(self, body: Mapping[str, Any]) -> Announced:
        """May be repeated: the answer then is what is still missing."""
        return read_announced(self.call("POST", "recordings", json=body))

    def finish(self, recording_id: str) -> State:
        """Raises ConflictError with ``missing`` while announced files did not arrive."""
        return read_state(self.call("POST", f"recordings/{recording_id}/finish", json={}))

    def state(self, recording_id: str) -> State:
        return read_state(self.call("GET", f"recordings/{recording_id}"))


def read_announced(body: Mapping[str, Any]) -> Announced:
    with shape("new recording"):
        return Announced(
            read_state(body),
            tuple(
                Part(int(part["offset"]), int(part["size"]), str(part["url"]))
                for part in body["missingParts"]
            ),
            {str(each["name"]): str(each["url"]) for each in body["missingAttachments"]},
        )


def read_state(body: Mapping[str, Any]) -> State:
    with shape("state of the recording"):
        return State(
            str(body["id"]),
            str(body["status"]),
            str(body.get("failure") or ""),
            str(body["url"]),
        )
