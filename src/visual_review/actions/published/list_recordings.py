"""list_recordings: list the recordings of a repository, newest first."""

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import RECORDINGS_VIEW
from visual_review.actions.action import Action, Outcome
from visual_review.actions.recording_results import RecordingResult
from visual_review.actions.schema import ActionInput, ActionResult, ListLimit
from visual_review.recordings.queries import newest_recordings
from visual_review.repositories.queries import product_of, repository_of

DEFAULT_LIMIT = 50


class Input(ActionInput):
    repo_id: str = Field(description="The repository's id, from list_repos.")
    product_key: str | None = Field(default=None, description="Left out: all products.")
    limit: ListLimit = DEFAULT_LIMIT


class Result(ActionResult):
    recordings: list[RecordingResult]


def run(caller: Caller, values: Input) -> Outcome[Result]:
    repository = repository_of(caller.organization_id, values.repo_id)
    # An unknown product is 404; an empty list would look as if there were no recordings yet.
    if values.product_key is not None:
        product_of(repository, values.product_key)
    rows = newest_recordings(repository, values.product_key)[: values.limit]
    return Outcome(Result(recordings=[RecordingResult.of(row) for row in rows]))


ACTION = Action(
    name="list_recordings",
    title="List recordings",
    permission=RECORDINGS_VIEW,
    description="Lists a repository's test videos, newest first.",
    input=Input,
    result=Result,
    run=run,
)
