"""The one path of every action call, through any interface.

Checks are made in this order: caller, action, permission, input. Then comes the network call of
some actions, then one transaction for running the action and writing the audit log. An action
without declared verbs writes nothing and runs without a transaction.
"""

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

from django.conf import settings
from django.db import transaction
from pydantic import ValidationError

from visual_review.accounts.callers import Caller
from visual_review.actions.action import InputT, Operation, ResultT
from visual_review.actions.input_problems import Problem, problems_of
from visual_review.actions.json_values import SHOWN_POINTER, check_storable
from visual_review.audit.log import record
from visual_review.kernel.disk_reserve import require_room
from visual_review.kernel.errors import ForbiddenError, InvalidInputError

# Problems in the message itself; the list next to the message has the others.
SHOWN = 3


def dispatch(
    action: Operation[InputT, ResultT], caller: Caller, payload: Mapping[str, Any]
) -> ResultT:
    """Run ``action`` for ``caller``; ``payload`` is the JSON object of the call.

    Raises ForbiddenError, InvalidInputError, and the errors of the action itself (NotFoundError,
    ConflictError, UnavailableError); the transaction is then rolled back.
    """
    # Before the input, so that a caller without the permission cannot learn the valid values.
    check_permission(action, caller)
    values = validate(action, payload)
    if not action.read_only and not action.frees_space:
        require_room(settings.DISK_RESERVE)
    run = action.prepare(caller, values)
    # Each statement sees the data committed before it starts, in a transaction or not, so reads
    # would gain nothing but two round trips.
    with nullcontext() if action.read_only else transaction.atomic():
        outcome = run()
        for change in outcome.changes:
            # Which actions are read-only, and the audit page's filter, depend on declared verbs.
            if change.verb not in action.verbs:
                raise AssertionError(f"{action.name} does not declare the verb {change.verb}")
        if outcome.changes:
            record(caller.organization_id, caller.actor(), *outcome.changes)
    return outcome.result


def check_permission(action: Operation[InputT, ResultT], caller: Caller) -> None:
    if not caller.may(action.permission):
        raise ForbiddenError(
            f"'{action.name}' requires the permission '{action.permission}', which this caller "
            "does not have. Ask an owner of the organization for a role or key that has it."
        )


def validate(action: Operation[InputT, ResultT], payload: Mapping[str, Any]) -> InputT:
    """Return the input as its model; raises InvalidInputError with every problem."""
    return validate_as(action.input, payload, f"the input of '{action.name}'")


def validate_as(model: type[InputT], payload: Mapping[str, Any], what: str) -> InputT:
    """Return ``payload`` as ``model``; raises InvalidInputError for ``what`` with every problem."""
    values = dict(payload)
    check_storable(values)
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise _invalid_input(what, problems_of(error, model)) from error


def _invalid_input(what: str, problems: list[Problem]) -> InvalidInputError:
    summary = f"{what[:1].upper()}{what[1:]} is not valid"
    shown = [f"{pointer[:SHOWN_POINTER] or 'body'}: {text}" for pointer, text in problems[:SHOWN]]
    if len(problems) > SHOWN:
        shown.append(f"and {len(problems) - SHOWN} more")
    return InvalidInputError(f"{summary}: {'; '.join(shown)}", problems, summary)
