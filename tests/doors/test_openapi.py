import json
from typing import Any

import jsonschema_rs
import pytest
from django.test import Client
from scripts.generate_docs import REFERENCE, pages

from visual_review.actions.dispatch import validate
from visual_review.actions.registry import published_action, published_actions
from visual_review.api.openapi import document

NAMES = [action.name for action in published_actions()]


def operation(name: str) -> dict[str, Any]:
    found: dict[str, Any] = document()["paths"][f"/api/rest/actions/{name}"]["post"]
    return found


def whole_input_schema(name: str) -> dict[str, Any]:
    """The schema of an action's input, with what it refers to."""
    reference = operation(name)["requestBody"]["content"]["application/json"]["schema"]
    return {**reference, "components": document()["components"]}


def test_the_document_is_served_without_a_key(client: Client) -> None:
    response = client.get("/api/openapi.json")
    assert response.status_code == 200
    assert response["Content-Type"] == "application/json"
    assert json.loads(response.content) == document()


def test_the_document_lists_every_published_action_and_nothing_else() -> None:
    assert list(document()["paths"]) == [f"/api/rest/actions/{name}" for name in NAMES]


@pytest.mark.parametrize("page", ["openapi.json", "actions.md"])
def test_the_reference_is_what_the_registry_says_now(page: str) -> None:
    stored = (REFERENCE / page).read_text(encoding="utf-8")
    assert stored == pages()[page], "stale: run python -m scripts.generate_docs"


@pytest.mark.parametrize("name", NAMES)
def test_every_example_is_a_valid_call(name: str) -> None:
    example = operation(name)["requestBody"]["content"]["application/json"]["example"]
    jsonschema_rs.Draft202012Validator(whole_input_schema(name)).validate(example)
    validate(published_action(name), example)


@pytest.mark.parametrize("name", NAMES)
def test_every_schema_is_valid_and_closed(name: str) -> None:
    schemas = document()["components"]["schemas"]
    reference = operation(name)["requestBody"]["content"]["application/json"]["schema"]
    schema = schemas[reference["$ref"].rpartition("/")[2]]
    jsonschema_rs.meta.validate(schema)
    assert (schema["type"], schema["additionalProperties"]) == ("object", False)


def test_only_actions_that_change_things_or_ask_a_host_announce_conflicts() -> None:
    announcing = {name for name in NAMES if "409" in operation(name)["responses"]}
    changing = {action.name for action in published_actions() if not action.read_only}
    assert announcing == changing | {"list_host_repos"}


def test_every_refusal_names_a_response_that_is_there() -> None:
    responses = document()["components"]["responses"]
    for name in NAMES:
        for answer in operation(name)["responses"].values():
            if "$ref" in answer:
                assert answer["$ref"].rpartition("/")[2] in responses
