"""The schemas of the tools: those of OpenAPI, in the subset that every client takes."""

from collections.abc import Mapping
from typing import Any, Final

from visual_review.actions.action import Action
from visual_review.api.schemas import REF, STORABLE, Components, Schema

# Several clients refuse tools whose schema has these at the top. The service refuses such input
# with words all the same.
CONDITIONS: Final = frozenset({"if", "then", "else", "not", "allOf", "anyOf", "oneOf"})


def input_schema(action: Action[Any, Any]) -> Schema:
    """The input of ``action`` as REST takes it, without references and conditions."""
    components = Components()
    schema = _inlined(components.resolve(components.add_input(action)), components.schemas)
    return {key: value for key, value in schema.items() if key not in CONDITIONS | {"description"}}


def output_schema(action: Action[Any, Any]) -> Schema:
    """The outer properties of the result; a full schema would fill the context of the model."""
    components = Components()
    full = components.resolve(components.add_result(action))
    return {
        "type": "object",
        "properties": {
            name: _outline(field, components.schemas) for name, field in full["properties"].items()
        },
        "required": list(full.get("required", [])),
    }


def _outline(field: Schema, known: Mapping[str, Schema]) -> Schema:
    field = _inlined(field, known)
    # A list of types in one `type` is less portable: several models' own schemas know one only.
    choices = [_type_of(choice) for choice in field.get("anyOf", [])]
    return {"anyOf": choices} if choices else _type_of(field)


def _type_of(field: Schema) -> Schema:
    return {"type": field["type"]} if "type" in field else {}


def _inlined(schema: Schema, known: Mapping[str, Schema]) -> Schema:
    reference = schema.get("$ref")
    if reference is not None:
        schema = {**known[reference.removeprefix(REF)], **schema}
        del schema["$ref"]
    return {
        key: _inlined_value(value, known)
        for key, value in schema.items()
        # The bound on storable texts says nothing to a model and stands in every text.
        if (key, value) != ("pattern", STORABLE)
    }


def _inlined_value(value: object, known: Mapping[str, Schema]) -> object:
    if isinstance(value, dict):
        return _inlined(value, known)
    if isinstance(value, list):
        return [_inlined_value(item, known) for item in value]
    return value
