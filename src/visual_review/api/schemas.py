"""The registry's models as JSON Schema 2020-12, named and shared for OpenAPI 3.1."""

from typing import Any, Final, Literal, NamedTuple, get_args

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode

from visual_review.actions.action import Action
from visual_review.actions.build_results import Source
from visual_review.actions.extended.list_changes import DecisionFilter, State
from visual_review.actions.extended.review_results import DecisionResultState
from visual_review.builds import states as build_states
from visual_review.builds.baselines.selection import Rule
from visual_review.builds.change_kinds import ChangeKind
from visual_review.builds.images.requested_images import Form
from visual_review.builds.reviewing.requests import BatchDecision, Confirmation
from visual_review.recordings import states as recording_states
from visual_review.repositories.capture_rules import MatrixSource
from visual_review.variants import Device, Theme

Schema = dict[str, Any]
REF: Final = "#/components/schemas/"
# The service cannot store other strings, so other strings are invalid.
STORABLE: Final = "^[^\\u0000]*$"


class Enumeration(NamedTuple):
    """A Literal in its published form; models use the Literal itself."""

    name: str
    values: tuple[str, ...]
    description: str


# A property of one of these types refers to the component: no two may have the same values.
ENUMERATIONS: Final = tuple(
    Enumeration(name, get_args(literal), description)
    for name, literal, description in (
        ("Theme", Theme, "The color scheme of a variant."),
        ("Device", Device, "The device of a variant."),
        ("MatrixSource", MatrixSource, "What decided which variants are captured."),
        (
            "BuildStatus",
            build_states.Status,
            "What the service has done with a build; only a completed one can be decided.",
        ),
        (
            "ListedBuildStatus",
            build_states.PublishedStatus,
            "What the service has done with a listed build: its upload is over.",
        ),
        (
            "DiffState",
            build_states.DiffState,
            "What the comparison of a screenshot with the baseline found.",
        ),
        ("Decision", build_states.Decision, "The decision on a screenshot."),
        ("ReviewState", build_states.ReviewState, "The decision on a build."),
        ("DecisionSource", Source, "Where a decision came from."),
        ("ChangeKind", ChangeKind, "What happened to an area or a screenshot."),
        ("BaselineRule", Rule, "Which branch's baseline a build is compared with."),
        (
            "RecordingStatus",
            recording_states.Status,
            "What the service has done with a recording's video.",
        ),
        ("ListedState", State, "What the comparison found of a screenshot with a number."),
        ("ListedDecision", DecisionFilter, "The decision on a screenshot, or that it has none."),
        ("ImageForm", Form, "How an image shows changes."),
        ("BatchDecision", BatchDecision, "A decision of a request; cleared leaves none."),
        ("Confirmation", Confirmation, "What a request may do because it says so."),
        ("DecisionOutcome", DecisionResultState, "What became of a decision of a request."),
        ("TestOutcome", recording_states.Outcome, "How the test of a recording ended."),
    )
)


_NAMES: Final = {each.values: each.name for each in ENUMERATIONS}
_ENUMERATIONS: Final[dict[str, Schema]] = {
    each.name: {"type": "string", "enum": list(each.values), "description": each.description}
    for each in ENUMERATIONS
}


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
