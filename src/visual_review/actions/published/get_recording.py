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
from visual_review.recordings.keys import stored_folder
from visual_review.recordings.links import AttachedFile, link_files
from visual_review.recordings.read_models import RecordingDetails, full_recording_row


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
    row = full_recording_row(caller.organization_id, values.recording_id)
    folder = stored_folder(caller.organization_id, row.listed.id)
    files = link_files(folder, row.details, row.attachments)
    full = FullRecording.model_validate(
        {
            **recording_fields(row.listed),
            **_detail_fields(row.details),
            "video_url": files.video or None,
            "poster_url": files.poster or None,
            "original_url": files.original or None,
            "attachments": [_attachment(each) for each in files.attachments],
        }
    )
    return Outcome(Result(recording=full))


def _detail_fields(row: RecordingDetails) -> dict[str, object]:
    return {
        "repo_id": row.repository_id,
        "head_repository": row.head_repository or None,
        "failure": row.failure or None,
        "error": row.error or None,
        "steps": [
            {
                "title": step["title"],
                "start_ms": step["startMs"],
                "duration_ms": step["durationMs"],
                "story_id": step.get("storyId"),
            }
            for step in row.steps
        ],
        "test_duration_ms": row.test_duration_ms,
        "ran_at": rfc3339(row.ran_at) if row.ran_at else None,
        "width": row.width or None,
        "height": row.height or None,
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
