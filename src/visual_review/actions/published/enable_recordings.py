"""enable_recordings: allow CI to upload videos for a repository, and start a charge."""

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import RECORDINGS_MANAGE
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.identifiers import RepoId
from visual_review.actions.recording_results import EnrollmentResult, enrollment_entry, make_payer
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.recordings.enrollment import enable
from visual_review.repositories.queries import repository_of, repository_target

VERB = "recordings.enabled"


class Input(ActionInput):
    repo_id: RepoId


class Result(ActionResult):
    """Whether recordings are enabled now, and what they cost."""

    enrollment: EnrollmentResult = Field(
        description="The enrollment; the existing one where recordings were enabled already.",
    )


def run(caller: Caller, values: Input) -> Outcome[Result]:
    # Locked, so that of two simultaneous calls one enables and the other finds recordings enabled.
    repository = repository_of(caller.organization_id, values.repo_id, lock=True)
    found = enable(repository, make_payer(caller))
    result = Result(enrollment=EnrollmentResult.of(found))
    if not found.changed:
        return Outcome(result)
    return Outcome(
        result,
        (Change(VERB, repository_target(repository), {"enabled": False}, enrollment_entry(found)),),
    )


ACTION = Action(
    name="enable_recordings",
    title="Enable recordings",
    permission=RECORDINGS_MANAGE,
    description="Lets CI upload test videos for a repository. Starts a monthly charge, once.",
    input=Input,
    result=Result,
    run=run,
    verbs=(VERB,),
    # Recordings cost money, but enabling them destroys nothing.
    hints=Hints(destructive=False),
)
