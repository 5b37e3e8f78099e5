"""What generators of clients need from the document; whole clients are in journeys/api_clients."""

import ast
import builtins
import json
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from scripts.setup_python_tools import API_CLIENT_GENERATORS

from tests.support.api_clients.generated import PYTHON_WORKFLOW, TYPESCRIPT_WORKFLOW
from tests.support.case import Case
from visual_review.api.openapi import build_document

# They restrict values and declare no types.
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
    """Whether it is a schema for which a generator would have to make up a name."""
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
    # Generated clients would send it unasked, or demand the property.
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
    """Return what a TypeScript program does around its types."""
    code = re.sub(r'//.*|/\*[\s\S]*?\*/|"[^"\n]*"|`[^`]*`', "", source)
    return ESCAPES.findall(code)


@pytest.mark.parametrize(
    "line", ["const a = b as Build;", "b!.id", "f(b!)", "let a: any", "b as unknown", "a[0]!"]
)
def test_a_cast_is_found(line: str) -> None:
    assert escapes(line)
