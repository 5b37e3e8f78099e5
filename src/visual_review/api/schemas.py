"""The registry's models as JSON Schema 2020-12, named and shared for OpenAPI 3.1."""

from typing import Any, Final, Literal

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode

from visual_review.actions.action import Action
from visual_review.actions.enumerations import ENUMERATIONS

Schema = dict[str, Any]
REF: Final = "#/components/schemas/"
_NAMES: Final = {each.values: each.name for each in ENUMERATIONS}
_ENUMERATIONS: Final[dict[str, Schema]] = {
    each.name: {"type": "string", "enum": list(each.values), "description": each.description}
    for each in ENUMERATIONS
}
# The service cannot store other strings, so other strings are invalid.
STORABLE: Final = "^[^\\u0000]*$"


class Components:
    """Collects the schemas of ``components.schemas``; each name stands for one schema."""

    def __init__(self) -> None:
        self.schemas: dict[str, Schema] = {}

    def add_input(self, action: Action[Any, Any]) -> Schema:
        """Return the reference to the action's input."""
        return self._add(f"{_pascal(action.name)}Input", action.input, "validation")

    def add_response(self, action: Action[Any, Any]) -> Schema:
        """Return the reference to the object with the action's result."""
        name = f"{_pascal(action.name)}Response"
        response = {
            "type": "object",
            "description": f"What {action.name} returns.",
            "properties": {
                "result": {**self.add_result(action), "description": "The action's result."}
            },
            "required": ["result"],
            "additionalProperties": False,
        }
        self._keep(name, response)
        return {"$ref": REF + name}

    def add_result(self, action: Action[Any, Any]) -> Schema:
        """Return the reference to the action's result; shared results keep their own name."""
        own = action.result.__name__
        name = f"{_pascal(action.name)}Result" if own == "Result" else own
        return self._add(name, action.result, "serialization")

    def resolve(self, schema: Schema) -> Schema:
        """Return the schema itself, even if ``schema`` is only a reference."""
        reference = schema.get("$ref")
        return schema if reference is None else self.schemas[reference.removeprefix(REF)]

    def _add(self, name: str, model: type[BaseModel], mode: JsonSchemaMode) -> Schema:
        schema = model.model_json_schema(
            by_alias=True,
            mode=mode,
            ref_template=REF + "{model}",
            schema_generator=GenerateJsonSchema,
        )
        for nested, definition in schema.pop("$defs", {}).items():
            self._keep(_component_name(nested), _tidy(definition, mode))
        self._keep(name, _tidy(schema, mode))
        return {"$ref": REF + name}

    def _keep(self, name: str, schema: Schema) -> None:
        known = self.schemas.setdefault(name, schema)
        if known != schema:
            raise ValueError(f"Two different schemas are called '{name}'; rename one model.")
        for used in _references(schema) & _ENUMERATIONS.keys():
            self.schemas[used] = _ENUMERATIONS[used]


def _pascal(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _references(value: object) -> set[str]:
    """Return the names of the components referenced by a schema."""
    if isinstance(value, dict):
        own = {value["$ref"].removeprefix(REF)} if "$ref" in value else set()
        return own.union(*map(_references, value.values()))
    if isinstance(value, list):
        return set().union(*map(_references, value))
    return set()


def _component_name(name: str) -> str:
    """Return the published name of a nested model; our suffix says nothing to a caller."""
    return name.removesuffix("Result")


def _tidy(schema: Schema, mode: Literal["validation", "serialization"]) -> Schema:
    """Return ``schema`` in its published form.

    Without titles made from names and without defaults, because generated clients would send or
    demand defaults; with references to enumerations; free text of inputs has to be storable.
    """
    kept: Schema = {}
    for key, value in schema.items():
        if key in {"title", "default"}:
            continue
        if key == "properties":
            # A schema may also be plain true or false.
            kept[key] = {
                name: _tidy(field, mode) if isinstance(field, dict) else field
                for name, field in value.items()
            }
        elif key == "$ref":
            kept[key] = REF + _component_name(value.removeprefix(REF))
        elif key == "description":
            # Docstrings quote code in two backticks, Markdown in one.
            kept[key] = value.replace("``", "`")
        elif isinstance(value, dict):
            kept[key] = _tidy(value, mode)
        elif key in {"anyOf", "allOf", "oneOf"}:
            kept[key] = [_tidy(choice, mode) for choice in value]
        else:
            kept[key] = value
    free_text = kept.get("type") == "string" and not kept.keys() & {"enum", "const", "pattern"}
    if mode == "validation" and free_text:
        kept["pattern"] = STORABLE
    return _with_named_enumeration(kept)


def _with_named_enumeration(schema: Schema) -> Schema:
    found = _NAMES.get(tuple(schema.get("enum", ())))
    if found is None:
        return schema
    rest = {key: value for key, value in schema.items() if key not in {"enum", "type"}}
    return {"$ref": REF + found, **rest}
