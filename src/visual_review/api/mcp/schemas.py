"""The schemas of the tools: OpenAPI's, made brief, in the subset accepted by all clients."""

from collections.abc import Mapping
from typing import Any, Final

from visual_review.actions.action import Action
from visual_review.api.schemas import REF, Components, Schema

# Several clients reject tools whose schema has conditions at the top level. The service checks the
# conditions nevertheless.
CONDITIONS: Final = frozenset({"if", "then", "else", "not", "allOf", "anyOf", "oneOf"})

DROPPED: Final = frozenset({"pattern", "examples"})


def input_schema(action: Action[Any, Any]) -> Schema:
    """Return the input schema of ``action`` without references, conditions and patterns."""
    components = Components()
    schema = _inlined(components.resolve(components.add_input(action)), components.schemas)
    kept = {key: value for key, value in schema.items() if key not in CONDITIONS | {"description"}}
    kept["properties"] = {name: _brief(name, field) for name, field in kept["properties"].items()}
    return kept


def output_schema(action: Action[Any, Any]) -> Schema:
    """Return an object schema with only the main property.

    All names and types would be a third of the list, and no client shows them to its model.
    """
    components = Components()
    full = components.resolve(components.add_result(action))
    return {"type": "object", "required": list(full["properties"])[:1]}


def _brief(name: str, field: Schema) -> Schema:
    """Keep the first sentence of the description, and the meaning of omitting the property."""
    kept = {key: value for key, value in field.items() if key != "description"}
    if "properties" in kept.get("items", ()):
        # The list's own description explains its objects, and the names explain the rest.
        kept["items"] = _undescribed(kept["items"])
    # Tools with lists of ids explain the ids, and enumerated values need no text.
    is_listed = "enum" in field or "enum" in field.get("items", ())
    if name.endswith("Id") or is_listed or "description" not in field:
        return kept
    sentence, stop, rest = field["description"].partition(". ")
    omitted = f" {rest}" if rest.startswith("Omitted: ") else ""
    return {"description": sentence + stop.strip() + omitted, **kept}


def _undescribed(schema: Schema) -> Schema:
    properties = {
        name: {key: value for key, value in field.items() if key != "description"}
        for name, field in schema["properties"].items()
    }
    return {**schema, "properties": properties}


def _inlined(schema: Schema, known: Mapping[str, Schema]) -> Schema:
    reference = schema.get("$ref")
    if reference is not None:
        # The REST reference describes components; a tool's text describes the property itself.
        component = {**known[reference.removeprefix(REF)], "description": None}
        schema = {**component, **schema}
        del schema["$ref"]
    return {
        key: _inlined_value(value, known) for key, value in schema.items() if _is_kept(key, value)
    }


def _is_kept(key: str, value: object) -> bool:
    # Models read descriptions and do not evaluate patterns, and need no examples. A property with
    # such a name is an object, so the property is kept.
    return value is not None and (key not in DROPPED or isinstance(value, dict))


def _inlined_value(value: object, known: Mapping[str, Schema]) -> object:
    if isinstance(value, dict):
        return _inlined(value, known)
    if isinstance(value, list):
        return [_inlined_value(item, known) for item in value]
    return value
