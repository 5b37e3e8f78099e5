"""list_recordings: list the recordings of a repository, newest first."""

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import RECORDINGS_VIEW
from visual_review.actions.action import Action, Outcome
from visual_review.actions.recording_results import RecordingResult, recording_fields
from visual_review.actions.schema import MOST_ROWS, ActionInput, ActionResult, ListLimit
from visual_review.recordings.read_models import recording_rows

DEFAULT_LIMIT = 50


class Input(ActionInput):
    repo_id: str = Field(description="The repository's id, from list_repos.")
    product_key: str | None = Field(
        default=None, description="Omitted: all products.", examples=["default"]
    )
    limit: ListLimit = Field(
        default=DEFAULT_LIMIT,
        description=f"How many, clamped to 1..{MOST_ROWS}. Omitted: {DEFAULT_LIMIT}.",
        examples=[DEFAULT_LIMIT],
    )


class Result(ActionResult):
    recordings: list[RecordingResult]


def run(caller: Caller, values: Input) -> Outcome[Result]:
    rows = recording_rows(caller.organization_id, values.repo_id, values.product_key, values.limit)
    # Validated at once, which takes less time than one by one.
    return Outcome(Result.model_validate({"recordings": [recording_fields(row) for row in rows]}))


ACTION = Action(
    name="list_recordings",
    title="List recordings",
    permission=RECORDINGS_VIEW,
    description="Lists a repository's test videos, newest first.",
    input=Input,
    result=Result,
    run=run,
)
