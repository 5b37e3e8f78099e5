"""list_recordings: list the recordings of a repository, newest first."""

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import RECORDINGS_VIEW
from visual_review.actions.action import Action, Outcome
from visual_review.actions.identifiers import RepoId
from visual_review.actions.recording_results import RecordingResult, recording_fields
from visual_review.actions.schema import MOST_ROWS, ActionInput, ActionResult, ListLimit
from visual_review.recordings.read_models import recording_rows

DEFAULT_LIMIT = 50


class Input(ActionInput):
    repo_id: RepoId
    product_key: str | None = Field(
        default=None, description="Omitted: all products.", examples=["default"]
    )
    limit: ListLimit = Field(
        default=DEFAULT_LIMIT,
        description=f"How many, clamped to 1..{MOST_ROWS}. Omitted: {DEFAULT_LIMIT}.",
        examples=[DEFAULT_LIMIT],
    )


class Result(ActionResult):
    """Recordings of a repository, newest first."""

    recordings: list[RecordingResult] = Field(
        description="Recordings, newest first, at most `limit`."
    )
    more: bool = Field(
        description="True: there are more than `limit`, and these are the newest.",
        examples=[False],
    )


def run(caller: Caller, values: Input) -> Outcome[Result]:
    limit = values.limit
    # One more than returned, to show whether there are more.
    rows = recording_rows(caller.organization_id, values.repo_id, values.product_key, limit + 1)
    # Validated at once: validating one by one takes longer.
    fields = [recording_fields(row) for row in rows[:limit]]
    return Outcome(Result.model_validate({"recordings": fields, "more": len(rows) > limit}))


ACTION = Action(
    name="list_recordings",
    title="List recordings",
    permission=RECORDINGS_VIEW,
    description="Lists a repository's test videos, newest first.",
    input=Input,
    result=Result,
    run=run,
)
