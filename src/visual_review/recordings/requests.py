"""CI's announcement of a recording, already validated by the API; pure."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class AnnouncedTest:
    file: str
    suite: str
    title: str


@dataclass(frozen=True)
class AnnouncedFile:
    """``size`` is in bytes."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True)
class AnnouncedAttachment(AnnouncedFile):
    content_type: str


@dataclass(frozen=True)
class Origin:
    """The tested commit, branch and pull request."""

    branch: str
    commit: str
    head_repository: str
    pull_request: int | None


@dataclass(frozen=True)
class Run:
    """The result of the test; times in milliseconds, ``steps`` in their stored form."""

    project: str
    outcome: str
    retry: int
    error: str
    steps: list[dict[str, Any]]
    test_duration_ms: int | None
    ran_at: datetime | None


@dataclass(frozen=True)
class RecordingRequest:
    key: str
    product_key: str
    title: str
    test: AnnouncedTest | None
    origin: Origin
    run: Run
    video: AnnouncedFile
    attachments: tuple[AnnouncedAttachment, ...]
