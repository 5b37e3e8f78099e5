"""disable_recordings: reject uploads from now on and end the charge; recordings stay."""

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import RECORDINGS_MANAGE
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.identifiers import RepoId
from visual_review.actions.recording_results import EnrollmentResult, enrollment_entry, make_payer
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.recordings.enrollment import disable
from visual_review.repositories.queries import repository_of, repository_target

VERB = "recordings.disabled"


class Input(ActionInput):
    repo_id: RepoId


class Result(ActionResult):
    """Whether recordings are enabled now, and what they cost."""

    enrollment: EnrollmentResult = Field(
        description="The enrollment after the call.",
        examples=[
            {
                "repoId": "repo_01jq3v8e6m5x0c2n9d4t7r1kza",
                "enabled": False,
                "enabledAt": "2026-02-02T08:15:00Z",
                "disabledAt": "2026-03-14T09:26:53Z",
                "pricePerMonth": "9.00 EUR",
            }
        ],
    )


def run(caller: Caller, values: Input) -> Outcome[Result]:
    # Locked as in enable_recordings.
    repository = repository_of(caller.organization_id, values.repo_id, lock=True)
    found = disable(repository, make_payer(caller))
    result = Result(enrollment=EnrollmentResult.of(found))
    if found.former is None:
        return Outcome(result)
    before = enrollment_entry(found.former)
    return Outcome(
        result, (Change(VERB, repository_target(repository), before, {"enabled": False}),)
    )


ACTION = Action(
    name="disable_recordings",
    title="Disable recordings",
    permission=RECORDINGS_MANAGE,
    description="Ends a repository's charge for recordings. They are kept; CI uploads are refused.",
    input=Input,
    result=Result,
    run=run,
    verbs=(VERB,),
    # Nothing is lost, and recordings can be enabled again.
    hints=Hints(destructive=False),
)
