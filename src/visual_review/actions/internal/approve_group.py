"""approve_group: approve the undecided screenshots of a build that changed alike."""

from dataclasses import replace

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_REVIEW
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.decision_results import (
    DecidedResult,
    build_change,
    decided_result,
    decider_of,
)
from visual_review.actions.schema import ActionInput
from visual_review.builds.queries import build_of, group_of
from visual_review.builds.reviewing.decisions import approve_group

VERB = "group.approved"


class Input(ActionInput):
    """``revision`` is that of the group as it was shown."""

    build_id: str
    group_id: str
    revision: str


def run(caller: Caller, values: Input) -> Outcome[DecidedResult]:
    build = build_of(caller.organization_id, values.build_id)
    group = group_of(build, values.group_id)
    decided = approve_group(group, values.revision, decider_of(caller))
    change = build_change(VERB, decided)
    # The audit entry's target is the build, so the group is named separately.
    after = {**(change.after or {}), "groupId": group.id, "group": group.name}
    return Outcome(decided_result(decided), (replace(change, after=after),))


ACTION = Action(
    name="approve_group",
    title="Approve a group of screenshots",
    permission=BUILDS_REVIEW,
    description="Approves the undecided screenshots of a group; rejected ones stay rejected. With "
    "the last open one of all, approves the build.",
    input=Input,
    result=DecidedResult,
    run=run,
    verbs=(VERB,),
    # The last approval changes the baseline, as approve_build does.
    hints=Hints(destructive=True),
)
