"""Recordings of a repository uploaded over HTTP, and the jobs that process them."""

import time
from dataclasses import dataclass
from typing import Any

from procrastinate.contrib.django import app
from procrastinate.job_context import JobContext
from procrastinate.jobs import Job as QueuedJob

from tests.support.ci.publish_client import connect
from tests.support.ci.recordings import Recorder, enable
from tests.support.personas import Persona
from tests.support.scenes import scene
from visual_review.jobs.recordings.process_recording import process_recording
from visual_review.recordings.models import Recording

TEST = {"file": "tests/pay.spec.ts", "suite": "Checkout", "title": "pays by card"}


@dataclass(frozen=True)
class RecordedRepository:
    """A repository with recordings enabled."""

    recorder: Recorder

    @classmethod
    def of(cls, persona: Persona, name: str = "acme/web") -> "RecordedRepository":
        job = connect(persona, name)
        enable(job.repository)
        return cls(Recorder(job))

    def upload(
        self, video: bytes, files: dict[str, bytes] | None = None, **facts: object
    ) -> Recording:
        """Upload a recording, without processing."""
        facts = {"test": TEST, **facts}
        return Recording.objects.get(pk=self.recorder.upload(video, files, **facts)["id"])

    def ready(self, video: bytes, files: dict[str, bytes] | None = None, **facts: Any) -> Recording:  # noqa: ANN401 - Facts differ.
        """Upload and process a recording, successfully or not."""
        recording = self.upload(video, files, **facts)
        run(recording)
        recording.refresh_from_db()
        return recording


@scene
def upload_recording(
    persona: Persona, video: bytes, files: dict[str, bytes] | None = None
) -> Recording:
    """Upload a recording, without processing."""
    return RecordedRepository.of(persona).upload(video, files)


@scene
def process_uploaded_recording(
    persona: Persona, video: bytes, files: dict[str, bytes] | None = None
) -> Recording:
    """Upload a recording, and run its job."""
    return RecordedRepository.of(persona).ready(video, files)


def run(recording: Recording, attempts: int = 0) -> None:
    """Run the job of the recording, in this thread."""
    repository = recording.repository
    job = QueuedJob(
        id=1,
        status="doing",
        queue="recordings",
        lock=recording.id,
        queueing_lock=None,
        task_name="process_recording",
        task_kwargs={},
        attempts=attempts,
    )
    context = JobContext(app=app, job=job, start_timestamp=time.time(), abort_reason=lambda: None)
    process_recording(context, recording.id, repository.organization_id)
