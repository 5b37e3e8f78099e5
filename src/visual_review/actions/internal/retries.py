"""Failed jobs and deliveries, once more."""

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Operation, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change, Target
from visual_review.builds.notifying.outbox import send_again
from visual_review.kernel.ids import MAX_LENGTH
from visual_review.kernel.queue import run_job_again
from visual_review.repositories.failed_jobs import require_failed_job
from visual_review.repositories.queries import repository_of, repository_target

JOB_RUN_AGAIN = "job.run_again"
MESSAGE_SENT_AGAIN = "host_message.sent_again"


class RunJobAgainInput(ActionInput):
    job_id: int


def _run_job_again(caller: Caller, values: RunJobAgainInput) -> Outcome[ActionResult]:
    """Put a failed job back into its queue."""
    name = require_failed_job(caller.organization_id, values.job_id)
    run_job_again(values.job_id)
    change = Change(JOB_RUN_AGAIN, Target("job", str(values.job_id), name))
    return Outcome(ActionResult(), (change,))


class SendAgainInput(ActionInput):
    repo_id: str
    message_id: str = Field(max_length=MAX_LENGTH)


def _send_again(caller: Caller, values: SendAgainInput) -> Outcome[ActionResult]:
    """Send a notification of the outbox to the Git provider again.

    A comment that still exists there is edited.
    """
    repository = repository_of(caller.organization_id, values.repo_id)
    message = send_again(repository, values.message_id)
    change = Change(
        MESSAGE_SENT_AGAIN,
        repository_target(repository),
        before={"state": message.state, "failure": message.failure},
        after={"message": message.id, "kind": message.kind, "subject": message.subject},
    )
    return Outcome(ActionResult(), (change,))


ACTIONS = (
    Operation(
        name="run_job_again",
        permission=REPOS_MANAGE,
        input=RunJobAgainInput,
        run=_run_job_again,
        verbs=(JOB_RUN_AGAIN,),
    ),
    Operation(
        name="send_again",
        permission=REPOS_MANAGE,
        input=SendAgainInput,
        run=_send_again,
        verbs=(MESSAGE_SENT_AGAIN,),
    ),
)
