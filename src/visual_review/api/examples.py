"""Examples of inputs and results, composed from those of their properties."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from visual_review.api.schemas import REF, Schema

NULL: Final[Schema] = {"type": "null"}
# Of properties that do not have an example of their own yet.
_PLACEHOLDERS: Final = {"string": "text", "integer": 1, "number": 1.0, "boolean": True}
_BY_NAME: Final[dict[str, Any]] = {
    "repoId": "repo_01jq3v8e6m5x0c2n9d4t7r1kza",
    "buildId": "build_01jq3v8e6m5x0c2n9d4t7r1kzb",
    "screenshotId": "shot_01jq3v8e6m5x0c2n9d4t7r1kzc",
    "recordingId": "rec_01jq3v8e6m5x0c2n9d4t7r1kzd",
    "productKey": "default",
    "storyId": "button--primary",
    "fullName": "acme/web",
    "themes": ["light", "dark"],
    "devices": ["phone", "desktop"],
    "regions": [{"x": 0.1, "y": 0, "width": 0.25, "height": 0.05}],
}


def compose_example(schema: Schema, known: Mapping[str, Schema]) -> Any:  # noqa: ANN401 - Any JSON.
    """Return an example of ``schema``: its own, otherwise one composed of what it consists of.

    Raises LookupError for a schema that has none, since an invented one would explain nothing.
    """
    own = [*schema.get("examples", ()), *schema.get("enum", ())]
    if own:
        return own[0]
    if "$ref" in schema or "anyOf" in schema:
        return compose_example(_main_choice(schema, known), known)
    if "properties" in schema:
        return compose_object(schema, known, schema["properties"])
    if "items" in schema:
        return [compose_example(schema["items"], known)]
    return schema["const"] if "const" in schema else _PLACEHOLDERS[schema["type"]]


def _main_choice(schema: Schema, known: Mapping[str, Schema]) -> Schema:
    if "$ref" in schema:
        return known[schema["$ref"].removeprefix(REF)]
    choices: list[Schema] = schema["anyOf"]
    return next(one for one in choices if one != NULL)


def compose_object(
    schema: Schema, known: Mapping[str, Schema], names: Iterable[str]
) -> dict[str, Any]:
    """Return an example of an object with the properties ``names``."""
    return {
        name: _BY_NAME.get(name) or compose_example(schema["properties"][name], known)
        for name in names
    }


def with_examples(schema: Schema, known: Mapping[str, Schema]) -> Schema:
    """Return a component with an example of itself and of each of its properties."""
    if "properties" not in schema:
        return schema | {"examples": [compose_example(schema, known)]}
    properties = {
        name: field | {"examples": [compose_example(field, known)]}
        for name, field in schema["properties"].items()
    }
    return schema | {"properties": properties}
