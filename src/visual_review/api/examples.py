"""Examples of inputs and results, composed of the examples of properties."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from visual_review.api.schemas import REF, Schema

NULL: Final[Schema] = {"type": "null"}


def compose_example(schema: Schema, known: Mapping[str, Schema]) -> Any:  # noqa: ANN401 - Any JSON.
    """Return an example of ``schema``: its own, otherwise one composed of its parts' examples.

    Raises LookupError for a schema without examples, since an invented one would explain nothing.
    """
    own = [*schema.get("examples", ()), *schema.get("enum", ())]
    if "const" in schema:
        own.append(schema["const"])
    if own:
        return own[0]
    if "$ref" in schema or "anyOf" in schema:
        return compose_example(_main_choice(schema, known), known)
    if "properties" in schema:
        return compose_object(schema, known, schema["properties"])
    if "items" in schema:
        return [compose_example(schema["items"], known)]
    raise LookupError(f"There is no example of {schema}; give the property one.")


def _main_choice(schema: Schema, known: Mapping[str, Schema]) -> Schema:
    if "$ref" in schema:
        return known[schema["$ref"].removeprefix(REF)]
    choices: list[Schema] = schema["anyOf"]
    return next(one for one in choices if one != NULL)


def compose_object(
    schema: Schema, known: Mapping[str, Schema], names: Iterable[str]
) -> dict[str, Any]:
    """Return an example of an object with the properties ``names``."""
    return {name: compose_example(schema["properties"][name], known) for name in names}


def merge_example(example: Any, other: Any) -> Any:  # noqa: ANN401 - Any JSON.
    """Return ``example`` updated by ``other``, object by object."""
    if not isinstance(example, dict) or not isinstance(other, Mapping):
        return other
    return example | {name: merge_example(example.get(name), other[name]) for name in other}


def with_examples(schema: Schema, known: Mapping[str, Schema]) -> Schema:
    """Return a component with an example of itself and of each of its properties."""
    if "properties" not in schema:
        return schema | {"examples": [compose_example(schema, known)]}
    properties = {
        name: field | {"examples": [compose_example(field, known)]}
        for name, field in schema["properties"].items()
    }
    return schema | {"properties": properties}
