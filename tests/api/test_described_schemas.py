"""What the document says about each property: a description, an example, a name for each value."""

from collections.abc import Iterator
from typing import Any

import jsonschema_rs

from tests.support.case import Case
from visual_review.actions.enumerations import ENUMERATIONS
from visual_review.actions.registry import callable_actions
from visual_review.api.openapi import build_document
from visual_review.api.schemas import Components

DOCUMENT = build_document()
SCHEMAS: dict[str, dict[str, Any]] = DOCUMENT["components"]["schemas"]
Property = tuple[str, dict[str, Any]]


def models() -> dict[str, dict[str, Any]]:
    """The schemas as the models publish them, before composed examples are added."""
    components = Components()
    for action in callable_actions():
        components.add_input(action)
        components.add_response(action)
    return components.schemas


def properties(schemas: dict[str, dict[str, Any]]) -> Iterator[Property]:
    for component, schema in schemas.items():
        for name, field in schema.get("properties", {}).items():
            yield f"{component}.{name}", field


def nested(schema: object) -> Iterator[dict[str, Any]]:
    """Every object in a schema, itself included."""
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from nested(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from nested(value)


def faults(schema: dict[str, Any], example: object) -> list[str]:
    validator = jsonschema_rs.Draft202012Validator(
        {**schema, "components": DOCUMENT["components"]}, validate_formats=True
    )
    return [error.message for error in validator.iter_errors(example)]


def test_every_property_has_a_description_and_a_valid_example(case: Case) -> None:
    for name, field in properties(SCHEMAS):
        with case(name):
            assert field["description"]
            assert field["examples"]
            assert not [fault for one in field["examples"] for fault in faults(field, one)]


def test_examples_are_written_next_to_the_properties_or_composed_of_such(case: Case) -> None:
    for name, field in properties(models()):
        with case(name):
            composed = any("$ref" in part or "const" in part for part in nested(field))
            assert composed or "examples" in field


def test_every_component_says_what_it_is() -> None:
    silent = [name for name, schema in SCHEMAS.items() if "description" not in schema]
    # What an input is for, the operation says.
    assert [name for name in silent if not name.endswith("Input")] == []


def test_every_response_has_an_example_that_is_valid(case: Case) -> None:
    for path in DOCUMENT["paths"].values():
        operation = path["post"]
        with case(operation["operationId"]):
            content = operation["responses"]["200"]["content"]["application/json"]
            assert content["example"]["result"]
            assert not faults(content["schema"], content["example"])


def test_every_enumeration_is_a_component_with_its_own_values() -> None:
    known = {each.name: list(each.values) for each in ENUMERATIONS}
    assert len(set(map(tuple, known.values()))) == len(known)
    for component, schema in SCHEMAS.items():
        for part in nested(schema):
            # Under ``properties``, a property may be called enum.
            if isinstance(part.get("enum"), list):
                assert known[component] == part["enum"], component


def test_times_and_links_have_formats() -> None:
    for name, field in properties(SCHEMAS):
        last = name.rpartition(".")[2]
        types = [field, *field.get("anyOf", [])]
        if last.endswith(("At", "Url")) or last in {"at", "url"}:
            expected = "uri" if last.lower().endswith("url") else "date-time"
            assert expected in {each.get("format") for each in types}, name
