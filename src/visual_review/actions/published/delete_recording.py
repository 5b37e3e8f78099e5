"""delete_recording: delete a recording with its video and all its files."""

from typing import Literal

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import RECORDINGS_MANAGE
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.identifiers import RecordingId
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.recordings.audit_targets import recording_target
from visual_review.recordings.read_models import recording_of
from visual_review.recordings.removal import hide

VERB = "recording.deleted"


class Input(ActionInput):
    recording_id: RecordingId


class Result(ActionResult):
    """The recording is hidden at once; its files are deleted in the background."""

    recording_id: RecordingId
    title: str = Field(
        description="Title of the deleted recording.", examples=["checkout: pays by card"]
    )
    deleted: Literal[True] = Field(description="Always true; a second call finds no recording.")


def run(caller: Caller, values: Input) -> Outcome[Result]:
    # Locked, so that the second of two simultaneous deletions finds nothing.
    recording = recording_of(caller.organization_id, values.recording_id, lock=True)
    hide(recording)
    change = Change(
        VERB,
        recording_target(recording),
        before={
            "repository": recording.repository.full_name,
            "productKey": recording.product.key,
            "status": recording.status,
            "size": recording.size,
        },
    )
    result = Result(recording_id=recording.id, title=recording.title, deleted=True)
    return Outcome(result, (change,))


ACTION = Action(
    name="delete_recording",
    title="Delete a recording",
    permission=RECORDINGS_MANAGE,
    description="Deletes a recording with all its files, for good.",
    input=Input,
    result=Result,
    frees_space=True,
    run=run,
    verbs=(VERB,),
    # A deletion cannot be undone. A second call finds nothing and changes nothing.
    hints=Hints(destructive=True),
)
