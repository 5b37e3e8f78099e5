"""get_recording: return one recording in full, with its test and the URLs of its files."""

from typing import Final

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import RECORDINGS_VIEW
from visual_review.actions.action import Action, Outcome
from visual_review.actions.identifiers import RecordingId
from visual_review.actions.recording_results import (
    RecordingResult,
    StepResult,
    recording_fields,
)
from visual_review.actions.schema import ActionInput, ActionResult, Link, Timestamp
from visual_review.kernel.blobs import blob_store
from visual_review.kernel.clock import rfc3339
from visual_review.recordings.blob_keys import stored_folder
from visual_review.recordings.links import LINK_SECONDS, AttachedFile, link_files
from visual_review.recordings.read_models import RecordingDetails, full_recording_row

FILES_EXAMPLE: Final = (
    "https://review.example.com/blobs/recordings/org_01jq3v8e6m5x0c2n9d4t7r1kze/"
    "rec_01jq3v8e6m5x0c2n9d4t7r1kzd"
)
SIGNED: Final = "?expires=1773483900&signature=2Zb1hT0yq3Xw"


class Input(ActionInput):
    recording_id: RecordingId


class AttachmentResult(ActionResult):
    """A file that CI uploaded with the recording."""

    name: str = Field(description="Name of the file.", examples=["trace.zip"])
    content_type: str = Field(
        description="Media type of the file, as announced by CI.", examples=["application/zip"]
    )
    size: int = Field(description="Size of the file in bytes.", examples=[48213])
    url: Link | None = Field(
        description="URL of the file; null unless stored.",
        examples=[f"{FILES_EXAMPLE}/trace.zip{SIGNED}"],
    )
    failure: str | None = Field(
        description="Why it was not stored; null otherwise.", examples=[None]
    )


class FullRecording(RecordingResult):
    """A recording in full. URLs of files expire after an hour and support range requests."""

    repo_id: str = Field(
        description="Id of the repository.", examples=["repo_01jq3v8e6m5x0c2n9d4t7r1kza"]
    )
    head_repository: str | None = Field(
        description="The fork with the branch; null for the repository's own branches.",
        examples=[None],
    )
    failure: str | None = Field(
        description="Why the video failed; null unless it did.", examples=[None]
    )
    error: str | None = Field(
        description="What the test reported; null without an error.",
        examples=["Expected the text 'Wrong password'."],
    )
    steps: list[StepResult] = Field(description="The steps of the test, in their order.")
    test_duration_ms: int | None = Field(
        description="Milliseconds that the test took; null where CI did not say.", examples=[5210]
    )
    ran_at: Timestamp | None = Field(
        description="When the test began; null where CI did not say.",
        examples=["2026-03-14T09:20:11.000Z"],
    )
    width: int | None = Field(
        description="Width of the video in pixels; null until ready.", examples=[1280]
    )
    height: int | None = Field(
        description="Height of the video in pixels; null until ready.", examples=[720]
    )
    video_url: Link | None = Field(
        description="The video for browsers; null until ready.",
        examples=[f"{FILES_EXAMPLE}/video.mp4{SIGNED}"],
    )
    poster_url: Link | None = Field(
        description="An image of the video; null until ready.",
        examples=[f"{FILES_EXAMPLE}/poster.jpg{SIGNED}"],
    )
    original_url: Link | None = Field(
        description="The video as uploaded by CI; null unless stored.",
        examples=[f"{FILES_EXAMPLE}/original.webm{SIGNED}"],
    )
    links_expire_at: Timestamp = Field(
        description="When the URLs of these files stop working; call get_recording again for new "
        "ones.",
        examples=["2026-03-14T10:25:00.000Z"],
    )
    attachments: list[AttachmentResult] = Field(description="Files uploaded with it, by name.")


class Result(ActionResult):
    """One recording."""

    recording: FullRecording = Field(description="The recording in full.")


def run(caller: Caller, values: Input) -> Outcome[Result]:
    row = full_recording_row(caller.organization_id, values.recording_id)
    folder = stored_folder(caller.organization_id, row.listed.id)
    # Before the links are made, so that no link ends earlier.
    links_end = blob_store().links_expire_at(LINK_SECONDS)
    files = link_files(folder, row.details.original_name, row.listed.status, row.attachments)
    full = FullRecording.model_validate(
        {
            **recording_fields(row.listed),
            **_detail_fields(row.details),
            "video_url": files.video or None,
            # Kept in the schema; browsers show the first image of the video.
            "poster_url": None,
            "original_url": files.original or None,
            "links_expire_at": rfc3339(links_end),
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
