"""The one path of every action call, through any interface.

Checks are made in this order: caller, action, permission, input. Then comes the network call of
some actions, then one transaction for running the action and writing the audit log. An action
without declared verbs writes nothing and runs without a transaction.
"""

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any, Final, get_args

from django.conf import settings
from django.db import transaction
from pydantic import BaseModel, ValidationError

from visual_review.accounts.callers import Caller
from visual_review.actions.action import InputT, Operation, ResultT
from visual_review.actions.json_values import SHOWN_POINTER, check_storable, json_pointer
from visual_review.actions.schema import NULL
from visual_review.audit.log import record
from visual_review.builds.near_names import nearest_name
from visual_review.kernel.disk_reserve import require_room
from visual_review.kernel.errors import ForbiddenError, InvalidInputError

Problem = tuple[str, str]
Location = tuple[str | int, ...]
Facts = Mapping[str, Any]

# Finding near names takes time, and no one reads as many.
MOST_NEAR_NAMES: Final = 50
UNKNOWN_PROBLEM: Final = "is not valid"
# Problems in the message itself; the list next to the message has the others.
SHOWN = 3


def problems_of(error: ValidationError, model: type[BaseModel]) -> list[Problem]:
    """Return each problem as (JSON pointer, message)."""
    found: list[Problem] = []
    for fault in error.errors(include_url=False):
        place = fault["loc"]
        if fault["type"] == "extra_forbidden":
            text = _describe_unknown(model, place, near=len(found) < MOST_NEAR_NAMES)
        elif fault["input"] is NULL:
            text = _describe_null(model, place)
        else:
            text = describe(fault["type"], fault.get("ctx", {}), fault["input"])
        found.append((json_pointer(place), text))
    return found


def describe(kind: str, facts: Facts, value: object) -> str:
    """Return the message of one of Pydantic's types of errors."""
    if kind in WRONG_TYPES:
        return f"must be {WRONG_TYPES[kind]}, not {_json_type(value)}"
    text = TEXTS.get(kind, UNKNOWN_PROBLEM)
    return text if isinstance(text, str) else text(facts)


def _describe_unknown(model: type[BaseModel], place: Location, *, near: bool) -> str:
    owner = _model_at(model, place[:-1])
    names = _names_of(owner) if owner else []
    meant = nearest_name(str(place[-1]), names) if near else None
    if meant is not None:
        return f"is not a known property; did you mean '{meant}'?"
    if not names:
        return "is not a known property; none are allowed here"
    known = "the known ones are" if len(names) > 1 else "the only one is"
    return f"is not a known property; {known} {', '.join(names)}"


def _describe_null(model: type[BaseModel], place: Location) -> str:
    owner = _model_at(model, place[:-1])
    field = _field_named(owner, str(place[-1])) if owner else None
    if field is not None and field.is_required():
        return "must not be null; it is required"
    return "must not be null; omit it instead"


def _model_at(model: type[BaseModel], place: Location) -> type[BaseModel] | None:
    """Return the model of the object at ``place``; positions in arrays do not matter."""
    found: type[BaseModel] | None = model
    for part in place:
        if isinstance(part, str) and found is not None:
            field = _field_named(found, part)
            found = _nested_model(field.annotation) if field else None
    return found


def _field_named(model: type[BaseModel], name: str) -> Any:  # noqa: ANN401 - FieldInfo or None.
    fields = model.model_fields.items()
    return next((field for key, field in fields if (field.alias or key) == name), None)


def _names_of(model: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]


def _nested_model(annotation: object) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    nested = (_nested_model(part) for part in get_args(annotation))
    return next((model for model in nested if model is not None), None)


def _json_type(value: object) -> str:
    if isinstance(value, float):
        return "a fraction"
    # A boolean is an int in Python, so booleans come first.
    names = ((bool, "a boolean"), (int, "an integer"), (str, "a string"), (list, "an array"))
    if value is None:
        return "null"
    return next((name for kind, name in names if isinstance(value, kind)), "an object")


def _number(value: float) -> str:
    return str(int(value) if value == int(value) else value)


def _count(number: int, unit: str) -> str:
    return f"{number} {unit}{'' if number == 1 else 's'}"


# One line for each possible type of error of the inputs; a test derives the types from the models.
WRONG_TYPES: Final[Mapping[str, str]] = {
    "string_type": "a string",
    "int_type": "an integer",
    "int_from_float": "an integer",
    "float_type": "a number",
    "bool_type": "true or false",
    "datetime_type": "a time such as 2026-03-01T12:00:00Z",
    "list_type": "an array",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
}
TEXTS: Final[Mapping[str, str | Callable[[Facts], str]]] = {
    "missing": "is missing; it is required",
    "literal_error": lambda facts: f"must be {facts['expected']}",
    "string_too_short": lambda facts: (
        f"must have at least {_count(facts['min_length'], 'character')}"
    ),
    "string_too_long": lambda facts: (
        f"must have at most {_count(facts['max_length'], 'character')}"
    ),
    "string_pattern_mismatch": lambda facts: f"must match the pattern {facts['pattern']}",
    "too_short": lambda facts: f"must have at least {_count(facts['min_length'], 'item')}",
    "too_long": lambda facts: f"must have at most {_count(facts['max_length'], 'item')}",
    "greater_than_equal": lambda facts: f"must be at least {_number(facts['ge'])}",
    "less_than_equal": lambda facts: f"must be at most {_number(facts['le'])}",
    "finite_number": "must be a finite number",
    # Our own checks raise these, with a message for the caller.
    "value_error": lambda facts: str(facts["error"]),
}


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
