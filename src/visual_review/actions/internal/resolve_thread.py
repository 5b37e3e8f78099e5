"""resolve_thread: resolve a thread, or reopen a resolved one."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_VIEW
from visual_review.actions.action import Action, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.actions.thread_results import thread_target
from visual_review.audit.log import Change
from visual_review.builds.threads.writing import resolve_thread, thread_of

RESOLVED = "thread.resolved"
REOPENED = "thread.reopened"


class Input(ActionInput):
    thread_id: str
    resolved: bool


class Result(ActionResult):
    id: str


def run(caller: Caller, values: Input) -> Outcome[Result]:
    thread = thread_of(caller.organization_id, values.thread_id)
    result = Result(id=thread.pk)
    if not resolve_thread(thread, caller.name, resolved=values.resolved):
        return Outcome(result)
    verb = RESOLVED if values.resolved else REOPENED
    return Outcome(result, (Change(verb, thread_target(thread)),))


ACTION = Action(
    name="resolve_thread",
    title="Resolve or reopen a thread",
    permission=BUILDS_VIEW,
    description="Resolves a thread, which later builds no longer show, or reopens the thread.",
    input=Input,
    result=Result,
    run=run,
    verbs=(RESOLVED, REOPENED),
)
