"""run_job_again: put a failed job back into its queue."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change, Target
from visual_review.kernel.queue import run_job_again
from visual_review.repositories.failed_jobs import require_failed_job

VERB = "job.run_again"


class Input(ActionInput):
    job_id: int


class Result(ActionResult):
    job_id: int


def run(caller: Caller, values: Input) -> Outcome[Result]:
    name = require_failed_job(caller.organization_id, values.job_id)
    run_job_again(values.job_id)
    change = Change(VERB, Target("job", str(values.job_id), name))
    return Outcome(Result(job_id=values.job_id), (change,))


ACTION = Action(
    name="run_job_again",
    title="Run a failed job again",
    permission=REPOS_MANAGE,
    description="Puts a failed job back into its queue, with all of its attempts.",
    input=Input,
    result=Result,
    run=run,
    verbs=(VERB,),
)
