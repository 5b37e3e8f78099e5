"""Recordings of a repository for tests of pages: complete rows, real bytes."""

import hashlib
from itertools import count
from typing import Any

from visual_review.kernel.blobs import blob_store
from visual_review.kernel.clock import now
from visual_review.recordings.links import key_of
from visual_review.recordings.models import Attachment, Enrollment, LinkedTest, Recording
from visual_review.repositories.models import Product, Repository

_numbers = count()
STEPS = [
    {"title": "Open the page", "startMs": 0, "durationMs": 500, "storyId": None},
    {"title": "Look at the button", "startMs": 500, "durationMs": 700, "storyId": "a"},
    {"title": "Press it", "startMs": 1200, "durationMs": 300, "storyId": None},
]


def enable(repository: Repository) -> None:
    Enrollment.objects.update_or_create(
        repository=repository,
        defaults={"enabled": True, "enabled_at": now(), "enabled_by_name": "Alice"},
    )


def record(repository: Repository, title: str = "Signing in", **facts: Any) -> Recording:  # noqa: ANN401 - Any column.
    """Create a watchable recording, unless ``facts`` differ."""
    product = facts.pop("product", None) or Product.objects.filter(repository=repository).first()
    assert product is not None
    test, _ = LinkedTest.objects.get_or_create(
        product=product, file="tests/sign-in.spec.ts", suite="Accounts", title=title
    )
    ready = {
        "status": "ready",
        "outcome": "passed",
        "project": "chromium",
        "branch": "main",
        "steps": STEPS,
        "original_name": "original.webm",
        "duration_ms": 1500,
    }
    return Recording.objects.create(
        repository=repository,
        product=product,
        test=test,
        key=f"key-{next(_numbers)}",
        title=title,
        file_name="video.webm",
        size=1234,
        sha256=hashlib.sha256(title.encode()).hexdigest(),
        part_size=8,
        **{**ready, **facts},
    )


def store(recording: Recording, name: str, data: bytes) -> None:
    organization_id = recording.repository.organization_id
    blob_store().put(key_of(recording, organization_id, name), data)


def attach(recording: Recording, name: str = "trace.zip", **facts: Any) -> Attachment:  # noqa: ANN401 - Any column.
    values = {"content_type": "application/zip", "size": 5, "sha256": "0" * 64, "stored_at": now()}
    return Attachment.objects.create(recording=recording, name=name, **{**values, **facts})
