"""The schemas of the tools: those of OpenAPI, in the subset that every client takes, and brief."""

from collections.abc import Mapping
from typing import Any, Final

from visual_review.actions.action import Action
from visual_review.api.schemas import REF, Components, Schema

# Several clients refuse tools whose schema has these at the top. The service refuses such input
# with words all the same.
CONDITIONS: Final = frozenset({"if", "then", "else", "not", "allOf", "anyOf", "oneOf"})


def input_schema(action: Action[Any, Any]) -> Schema:
    """The input of ``action`` as REST takes it, without references, conditions and patterns."""
    components = Components()
    schema = _inlined(components.resolve(components.add_input(action)), components.schemas)
    kept = {key: value for key, value in schema.items() if key not in CONDITIONS | {"description"}}
    kept["properties"] = {name: _brief(name, field) for name, field in kept["properties"].items()}
    return kept


def output_schema(action: Action[Any, Any]) -> Schema:
    """An object, and the property a program goes on with.

    All names and types would be a third of the list, while no client shows them to its model.
    """
    components = Components()
    full = components.resolve(components.add_result(action))
    return {"type": "object", "required": list(full["properties"])[:1]}


def _brief(name: str, field: Schema) -> Schema:
    """With the first sentence of its words; the reference of REST has all of them."""
    kept = {key: value for key, value in field.items() if key != "description"}
    # Where ids come from is told once, by the tools that list them.
    if name.endswith("Id") or "description" not in field:
        return kept
    sentence, stop, _rest = field["description"].partition(". ")
    return {"description": sentence + stop.strip(), **kept}


def _inlined(schema: Schema, known: Mapping[str, Schema]) -> Schema:
    reference = schema.get("$ref")
    if reference is not None:
        schema = {**known[reference.removeprefix(REF)], **schema}
        del schema["$ref"]
    return {key: _inlined_value(value, known) for key, value in schema.items() if _read(key, value)}


def _read(key: str, value: object) -> bool:
    # Models do not run patterns, they read the words beside them. A property of that name is no
    # text, hence stays.
    return key != "pattern" or not isinstance(value, str)


def _inlined_value(value: object, known: Mapping[str, Schema]) -> object:
    if isinstance(value, dict):
        return _inlined(value, known)
    if isinstance(value, list):
        return [_inlined_value(item, known) for item in value]
    return value
