"""The OpenAPI document: served to anyone, complete and valid; the stored reference is current."""

import json
from functools import cache
from typing import Any

import jsonschema_rs
from django.test import Client
from pytest_django.fixtures import Settings
from scripts.generate_docs import ROOT, pages

from tests.support.case import Case
from visual_review.actions.dispatch import validate
from visual_review.actions.registry import (
    callable_action,
    callable_actions,
    extended_actions,
    published_actions,
)
from visual_review.api.openapi import build_document

NAMES = [action.name for action in callable_actions()]
PUBLISHED_PATHS = [f"/api/rest/actions/{action.name}" for action in published_actions()]


@cache
def openapi() -> dict[str, Any]:
    return build_document()


def operation(name: str) -> dict[str, Any]:
    found: dict[str, Any] = openapi()["paths"][f"/api/rest/actions/{name}"]["post"]
    return found


def whole_input_schema(name: str) -> dict[str, Any]:
    """The schema of an action's input, with what it refers to."""
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
