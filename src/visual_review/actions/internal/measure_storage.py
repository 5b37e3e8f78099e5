"""measure_storage: queue a job for measuring storage use now."""

from typing import Literal

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.repositories.storage_use import enqueue_measuring


class Input(ActionInput):
    pass


class Result(ActionResult):
    queued: Literal[True]


def run(caller: Caller, _values: Input) -> Outcome[Result]:
    enqueue_measuring(caller.organization_id)
    return Outcome(Result(queued=True))


ACTION = Action(
    name="measure_storage",
    title="Measure storage use",
    permission=REPOS_MANAGE,
    description="Queues a job that measures how much storage each repository uses. It changes no "
    "stored data, so it writes no audit entry.",
    input=Input,
    result=Result,
    run=run,
)
