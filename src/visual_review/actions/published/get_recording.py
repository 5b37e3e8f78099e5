"""get_recording: return one recording in full, with its test and the URLs of its files."""

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import RECORDINGS_VIEW
from visual_review.actions.action import Action, Outcome
from visual_review.actions.recording_results import (
    RecordingResult,
    StepResult,
    recording_fields,
)
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.kernel.clock import rfc3339
from visual_review.recordings.links import AttachedFile, files_of
from visual_review.recordings.models import Recording
from visual_review.recordings.queries import recording_of


class Input(ActionInput):
    recording_id: str = Field(description="The recording's id, from list_recordings.")


class AttachmentResult(ActionResult):
    """An uploaded file; where ``url`` is null, ``failure`` says why it was not stored."""

    name: str
    content_type: str
    size: int
    url: str | None
    failure: str | None


class FullRecording(RecordingResult):
    """A recording in full. URLs of files expire after an hour and support range requests."""

    repo_id: str
    head_repository: str | None
    failure: str | None = Field(description="Why the video failed.")
    error: str | None = Field(description="What the test reported.")
    steps: list[StepResult]
    test_duration_ms: int | None
    ran_at: str | None
    width: int | None
    height: int | None
    video_url: str | None
    poster_url: str | None
    original_url: str | None
    attachments: list[AttachmentResult]


class Result(ActionResult):
    recording: FullRecording


def run(caller: Caller, values: Input) -> Outcome[Result]:
    recording = recording_of(caller.organization_id, values.recording_id)
    files = files_of(recording)
    full = FullRecording.model_validate(
        {
            **recording_fields(recording),
            **_details(recording),
            "video_url": files.video or None,
            "poster_url": files.poster or None,
            "original_url": files.original or None,
            "attachments": [_attachment(each) for each in files.attachments],
        }
    )
    return Outcome(Result(recording=full))


def _details(recording: Recording) -> dict[str, object]:
    return {
        "repo_id": recording.repository_id,
        "head_repository": recording.head_repository or None,
        "failure": recording.failure or None,
        "error": recording.error or None,
        "steps": [
            {
                "title": step["title"],
                "start_ms": step["startMs"],
                "duration_ms": step["durationMs"],
                "story_id": step.get("storyId"),
            }
            for step in recording.steps
        ],
        "test_duration_ms": recording.test_duration_ms,
        "ran_at": rfc3339(recording.ran_at) if recording.ran_at else None,
        "width": recording.width or None,
        "height": recording.height or None,
    }


def _attachment(file: AttachedFile) -> AttachmentResult:
    return AttachmentResult(
        name=file.row.name,
        content_type=file.row.content_type,
        size=file.row.size,
        url=file.url or None,
        failure=file.row.failure or None,
    )


ACTION = Action(
    name="get_recording",
    title="Get a recording",
    permission=RECORDINGS_VIEW,
    description="Returns one recording: test, outcome, error, steps; URLs of video and "
    "attachments.",
    input=Input,
    result=Result,
    run=run,
)
