"""The OpenAPI document: complete, valid, current, described, fit for generators."""

import ast
import builtins
import json
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from django.test import Client
from pytest_django.fixtures import Settings
from scripts.generate_docs import ROOT, pages
from scripts.setup_python_tools import API_CLIENT_GENERATORS

from tests.support.api_clients.generated import PYTHON_WORKFLOW, TYPESCRIPT_WORKFLOW
from tests.support.case import Case
from visual_review.actions.dispatch import validate
from visual_review.actions.registry import (
    callable_action,
    callable_actions,
    extended_actions,
    published_actions,
)
from visual_review.api.openapi import build_document
from visual_review.api.schemas import ENUMERATIONS, Components

NAMES = [action.name for action in callable_actions()]
PUBLISHED_PATHS = [f"/api/rest/actions/{action.name}" for action in published_actions()]


@cache
def openapi() -> dict[str, Any]:
    return build_document()


def operation(name: str) -> dict[str, Any]:
    found: dict[str, Any] = openapi()["paths"][f"/api/rest/actions/{name}"]["post"]
    return found


def whole_input_schema(name: str) -> dict[str, Any]:
    """Return the schema of an action's input, with all references."""
    reference = operation(name)["requestBody"]["content"]["application/json"]["schema"]
    return {**reference, "components": openapi()["components"]}


def test_the_document_is_served_without_a_key(client: Client) -> None:
    response = client.get("/api/openapi.json")
    assert response.status_code == 200
    assert response["Content-Type"] == "application/json"
    assert json.loads(response.content) == build_document()


def test_the_document_lists_every_callable_action_and_nothing_else() -> None:
    assert list(build_document()["paths"]) == [f"/api/rest/actions/{name}" for name in NAMES]


def test_exactly_the_extensions_are_marked() -> None:
    extensions = {action.name for action in extended_actions()}
    assert {name for name in NAMES if operation(name)["tags"] == ["extensions"]} == extensions
    marked = {name for name in NAMES if operation(name).get("x-visual-review-extension") is True}
    assert marked == extensions


def test_the_document_of_the_published_actions_mentions_no_extension(
    client: Client, settings: Settings
) -> None:
    settings.EXTENSIONS = False
    served = client.get("/api/openapi.json").content.decode()
    assert list(json.loads(served)["paths"]) == PUBLISHED_PATHS
    assert "extension" not in served


def test_the_reference_is_what_the_registry_says_now(case: Case) -> None:
    for page, current in pages().items():
        with case(page):
            stored = (ROOT / page).read_text(encoding="utf-8")
            assert stored == current, "stale: run python -m scripts.generate_docs"


def test_every_example_is_a_valid_call(case: Case) -> None:
    for name in NAMES:
        with case(name):
            example = operation(name)["requestBody"]["content"]["application/json"]["example"]
            jsonschema_rs.Draft202012Validator(whole_input_schema(name)).validate(example)
            validate(callable_action(name), example)


def test_every_schema_is_valid_and_closed(case: Case) -> None:
    for name in NAMES:
        with case(name):
            schemas = openapi()["components"]["schemas"]
            reference = operation(name)["requestBody"]["content"]["application/json"]["schema"]
            schema = schemas[reference["$ref"].rpartition("/")[2]]
            jsonschema_rs.meta.validate(schema)
            assert (schema["type"], schema["additionalProperties"]) == ("object", False)


def test_only_actions_that_change_things_or_ask_a_host_announce_conflicts() -> None:
    announcing = {name for name in NAMES if "409" in operation(name)["responses"]}
    changing = {action.name for action in callable_actions() if not action.read_only}
    assert announcing == changing | {"list_host_repos"}


def test_every_error_refers_to_an_existing_response() -> None:
    responses = openapi()["components"]["responses"]
    for name in NAMES:
        for reference in operation(name)["responses"].values():
            if "$ref" in reference:
                assert reference["$ref"].rpartition("/")[2] in responses


# Conditions restrict values and declare no types.
CONDITIONS = {"if", "then", "else", "not"}
EXAMPLES = {"example", "examples"}
# Modules and classes of generated clients.
TAKEN = {"any", "client", "errors", "field", "file", "models", "response", "types", "unset"}
ESCAPES = re.compile(r"\bas\b|\bany\b|\bunknown\b|@ts-|[\w\])]!(?!=)", re.IGNORECASE)


@cache
def document() -> dict[str, Any]:
    return build_document()


def components() -> dict[str, dict[str, Any]]:
    schemas: dict[str, dict[str, Any]] = document()["components"]["schemas"]
    return schemas


def parts(value: object, place: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every object of the document with its place, except examples and conditions."""
    if isinstance(value, dict):
        yield place, value
        for key, inner in value.items():
            if key not in CONDITIONS | EXAMPLES:
                yield from parts(inner, f"{place}/{key}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from parts(inner, f"{place}/{number}")


def snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def inline(value: dict[str, Any]) -> bool:
    """Return whether a generator would have to make up a name for the schema."""
    return "enum" in value or isinstance(value.get("properties"), dict)


def test_the_validator_of_openapi_finds_nothing(tmp_path: Path) -> None:
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(document()))
    validator = API_CLIENT_GENERATORS.programs / "openapi-spec-validator"
    done = subprocess.run([validator, file], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_object_and_enumeration_has_a_name() -> None:
    named = {f"/components/schemas/{name}" for name in components()}
    found = [place for place, value in parts(document()) if inline(value) and place not in named]
    # Names of properties, such as one called "enum", are no keywords.
    assert [place for place in found if not place.endswith("/properties")] == []


def test_no_schema_has_a_default() -> None:
    # Generated clients would send the value unasked, or demand the property.
    assert [place for place, value in parts(document()) if "default" in value] == []


def test_every_operation_has_a_name_and_a_named_result(case: Case) -> None:
    for path, methods in document()["paths"].items():
        with case(path):
            operation = methods["post"]
            assert operation["operationId"] == path.rpartition("/")[2]
            assert operation["requestBody"]["required"] is True
            for body in (operation["requestBody"], operation["responses"]["200"]):
                name = body["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
                assert components()[name]["type"] == "object"


def test_names_of_components_stay_apart_in_every_language() -> None:
    names = sorted(map(snake_case, components()))
    assert len(set(names)) == len(names)
    assert not set(names) & (TAKEN | {name.lower() for name in dir(builtins)})


def test_the_workflows_need_no_cast() -> None:
    tree = ast.parse(PYTHON_WORKFLOW.read_text())
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert not (used | imported) & {"Any", "cast", "getattr", "object"}
    assert "type: ignore" not in PYTHON_WORKFLOW.read_text()
    assert escapes(TYPESCRIPT_WORKFLOW.read_text()) == []


def escapes(source: str) -> list[str]:
    """Return the ways in which a TypeScript program gets around its types."""
    code = re.sub(r'//.*|/\*[\s\S]*?\*/|"[^"\n]*"|`[^`]*`', "", source)
    return ESCAPES.findall(code)


@pytest.mark.parametrize(
    "line", ["const a = b as Build;", "b!.id", "f(b!)", "let a: any", "b as unknown", "a[0]!"]
)
def test_a_cast_is_found(line: str) -> None:
    assert escapes(line)


DOCUMENT = build_document()
SCHEMAS: dict[str, dict[str, Any]] = DOCUMENT["components"]["schemas"]
Property = tuple[str, dict[str, Any]]


def models() -> dict[str, dict[str, Any]]:
    """Return the schemas in the models' form, before composed examples are added."""
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
    # The operation explains the purpose of its input.
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
