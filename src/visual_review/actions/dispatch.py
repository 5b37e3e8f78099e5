"""The one path of every action call, whichever door it came through.

The order of refusals is the design's: caller, action, permission, input, then what the network
says where an action asks it, then one transaction that runs the action and writes the audit log.
"""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from pydantic import ValidationError

from visual_review.accounts.callers import Caller
from visual_review.actions.action import Action, InputT, ResultT
from visual_review.actions.json_values import SHOWN_PLACE, pointer, refuse_unfit
from visual_review.audit.log import record
from visual_review.kernel.errors import ForbiddenError, InvalidInputError


def dispatch(
    action: Action[InputT, ResultT], caller: Caller, payload: Mapping[str, Any]
) -> ResultT:
    """Run ``action`` for ``caller``; ``payload`` is the JSON object of the call.

    Raises ForbiddenError, InvalidInputError, and what the action itself raises
    (NotFoundError, ConflictError, UnavailableError); then nothing of the call stays behind.
    """
    # Before the input, hence a caller without the permission learns nothing about what is valid.
    check_permission(action, caller)
    values = validate(action, payload)
    run = action.prepared(caller, values)
    with transaction.atomic():
        outcome = run()
        for change in outcome.changes:
            # The declared verbs tell what is read-only, and what the audit page offers to look for.
            if change.verb not in action.verbs:
                raise AssertionError(f"{action.name} does not declare the verb {change.verb}")
            record(caller.organization_id, caller.actor(), change)
    return outcome.result


def check_permission(action: Action[InputT, ResultT], caller: Caller) -> None:
    if not caller.may(action.permission):
        raise ForbiddenError(
            f"'{action.name}' needs the permission '{action.permission}', which this caller "
            "lacks. Ask an owner of the organization for a role or key that has it."
        )


def validate(action: Action[InputT, ResultT], payload: Mapping[str, Any]) -> InputT:
    """The input as its model; raises InvalidInputError that names every fault."""
    return validate_as(action.input, payload, f"the input of '{action.name}'")


def validate_as(model: type[InputT], payload: Mapping[str, Any], what: str) -> InputT:
    """``payload`` as ``model``; raises InvalidInputError that names ``what`` and every fault."""
    refuse_unfit(dict(payload))
    try:
        return model.model_validate(dict(payload))
    except ValidationError as error:
        problems = [
            (pointer(problem["loc"]), problem["msg"].removeprefix("Value error, "))
            for problem in error.errors(include_url=False, include_context=False)
        ]
        shown = "; ".join(
            f"{place[:SHOWN_PLACE] or 'body'}: {text}" for place, text in problems[:3]
        )
        begin = what[:1].upper() + what[1:]
        raise InvalidInputError(f"{begin} is not valid: {shown}", problems) from error
