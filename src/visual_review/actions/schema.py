"""How inputs and results of actions look in JSON: camelCase, strict types, checked by the domain."""

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    WithJsonSchema,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from visual_review.kernel.errors import InvalidInputError

SAFE_INTEGER = 9007199254740991


class Null:
    """Stands for null where a property must not be null: no type accepts this class."""


NULL = Null()


def _integral(value: object) -> object:
    # JSON Schema counts 10.0 as an integer; Pydantic's strict mode does not.
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


MOST_ROWS = 1000
# The bounds come before the validator, or Pydantic would not publish the bounds.
INTEGRAL = BeforeValidator(_integral)
JsonInteger = Annotated[int, Field(ge=-SAFE_INTEGER, le=SAFE_INTEGER), INTEGRAL]


def _clamp(value: int) -> int:
    return min(max(value, 1), MOST_ROWS)


# Clamped and not rejected, because the published bounds allow any number.
PositiveInteger = Annotated[int, Field(ge=1, le=SAFE_INTEGER), BeforeValidator(_integral)]
ListLimit = Annotated[JsonInteger, AfterValidator(_clamp)]


# Strings in results; the format lets generated clients parse the strings.
Timestamp = Annotated[str, WithJsonSchema({"type": "string", "format": "date-time"})]
Link = Annotated[str, WithJsonSchema({"type": "string", "format": "uri"})]


class ActionInput(BaseModel):
    """Base of every action's input. Optional properties may be omitted but must not be null."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        extra="forbid",
        frozen=True,
        # Otherwise the string "10" would pass for a number, but JSON Schema does not allow strings.
        strict=True,
        validate_by_name=False,
        validate_by_alias=True,
    )

    @model_validator(mode="before")
    @classmethod
    def _refuse_null(cls, values: object) -> object:
        # An omitted property stays unchanged; null could also mean a request to clear the property.
        if isinstance(values, dict) and None in values.values():
            return {name: NULL if value is None else value for name, value in values.items()}
        return values

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        schema = handler.resolve_ref_schema(handler(core_schema))
        for name, field in schema.get("properties", {}).items():
            schema["properties"][name] = _without_null(field)
        return schema


def _without_null(field: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in field.items() if key not in {"anyOf", "title"}}
    choices = [choice for choice in field.get("anyOf", []) if choice != {"type": "null"}]
    if len(choices) == 1:
        return {**choices[0], **kept}
    return {**kept, "anyOf": choices} if choices else kept


class ActionResult(BaseModel):
    """Base of every result: camelCase properties, all of which are always present."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        extra="forbid",
        frozen=True,
        validate_by_name=True,
        serialize_by_alias=True,
        # Properties with a default are sent like all others.
        json_schema_serialization_defaults_required=True,
    )

    def to_json(self) -> bytes:
        """Return the JSON of the result, the same for every interface, in UTF-8."""
        return self.__pydantic_serializer__.to_json(self)


def never_both(flag: str, *others: str) -> dict[str, Any]:
    """Return the JSON Schema for: while ``flag`` is true, none of ``others`` may be present."""
    return {
        # In the schema too, so that clients and testing tools know the rule without calling.
        "if": {"properties": {flag: {"const": True}}, "required": [flag]},
        "then": {"properties": dict.fromkeys(others, False)},
    }


def both_true(*flags: str) -> dict[str, Any]:
    """Return the JSON Schema for: all of ``flags`` are true."""
    return {
        "properties": {flag: {"const": True} for flag in flags},
        "required": list(flags),
    }


def checked(check: Callable[[str], str], *, allow_empty: bool = False) -> AfterValidator:
    """Return ``check``, which raises InvalidInputError with one problem, as a validator."""

    def validate(text: str) -> str:
        # A script may send an empty string for an unknown value.
        if allow_empty and not text:
            return text
        try:
            return check(text)
        except InvalidInputError as error:
            raise ValueError(error.problems[0][1]) from error

    return AfterValidator(validate)
