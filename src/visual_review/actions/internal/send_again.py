"""send_again: send a notification of the outbox to the Git provider again."""

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.builds.notifying.messages import send_again
from visual_review.kernel.ids import MAX_LENGTH
from visual_review.repositories.audit_targets import repository_target
from visual_review.repositories.queries import repository_of

VERB = "host_message.sent_again"


class Input(ActionInput):
    repo_id: str
    message_id: str = Field(max_length=MAX_LENGTH)


class Result(ActionResult):
    id: str
    kind: str


def run(caller: Caller, values: Input) -> Outcome[Result]:
    repository = repository_of(caller.organization_id, values.repo_id)
    message = send_again(repository, values.message_id)
    change = Change(
        VERB,
        repository_target(repository),
        before={"state": message.state, "failure": message.failure},
        after={"message": message.id, "kind": message.kind, "subject": message.subject},
    )
    return Outcome(Result(id=message.id, kind=message.kind), (change,))


ACTION = Action(
    name="send_again",
    title="Send to the Git provider again",
    permission=REPOS_MANAGE,
    description="Sends a status or comment to the Git provider again, with its current text. A "
    "comment that still exists there is edited.",
    input=Input,
    result=Result,
    run=run,
    verbs=(VERB,),
    hints=Hints(open_world=True),
)
