"""set_repo_retention: set how long one repository keeps builds and recordings."""

from typing import Annotated, Literal

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.schema import ActionInput, ActionResult, JsonInteger
from visual_review.audit.log import Change
from visual_review.repositories.audit_targets import repository_target
from visual_review.repositories.queries import repository_of
from visual_review.repositories.retention import MAX_DAYS, repository_retention_entry

VERB = "repository.retention_changed"
Days = Annotated[JsonInteger, Field(ge=0, le=MAX_DAYS)]


class Input(ActionInput):
    """0: never deleted. ``as_organization`` lists what uses the organization's setting again."""

    repo_id: str
    builds_days: Days | None = None
    recordings_days: Days | None = None
    as_organization: list[Literal["builds", "recordings"]] = Field(default=[])


class Result(ActionResult):
    """Null: the organization's setting; 0: never deleted."""

    repo_id: str
    builds_days: int | None
    recordings_days: int | None


def run(caller: Caller, values: Input) -> Outcome[Result]:
    repository = repository_of(caller.organization_id, values.repo_id, lock=True)
    before = repository_retention_entry(repository)
    if values.builds_days is not None:
        repository.keep_builds_days = values.builds_days
    if values.recordings_days is not None:
        repository.keep_recordings_days = values.recordings_days
    if "builds" in values.as_organization:
        repository.keep_builds_days = None
    if "recordings" in values.as_organization:
        repository.keep_recordings_days = None
    repository.save(update_fields=["keep_builds_days", "keep_recordings_days"])
    after = repository_retention_entry(repository)
    result = Result(
        repo_id=repository.id,
        builds_days=repository.keep_builds_days,
        recordings_days=repository.keep_recordings_days,
    )
    if after == before:
        return Outcome(result)
    return Outcome(result, (Change(VERB, repository_target(repository), before, after),))


ACTION = Action(
    name="set_repo_retention",
    title="Set a repository's retention",
    permission=REPOS_MANAGE,
    description="Sets for how many days a repository keeps builds and recordings, if not as "
    "long as its organization.",
    input=Input,
    result=Result,
    frees_space=True,
    run=run,
    verbs=(VERB,),
    # The next sweep deletes older items.
    hints=Hints(destructive=True),
)
