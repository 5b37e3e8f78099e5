"""The OpenAPI 3.1 document of the actions, built from the registry."""

import json
from functools import cache
from typing import Any, Final

from django.http import HttpRequest, HttpResponse

from visual_review.actions.action import Action
from visual_review.actions.registry import callable_actions, is_extended
from visual_review.api.errors import api_endpoint
from visual_review.api.examples import compose_example, compose_object, merge_example, with_examples
from visual_review.api.json_bodies import JSON_TYPE
from visual_review.api.problem_schemas import (
    PROBLEM_SCHEMAS,
    error_references,
    error_responses,
)
from visual_review.api.schemas import Components, Schema

VERSION: Final = "1.0.0"
ACTION_PATH: Final = "/api/rest/actions/"
INTRODUCTION: Final = (
    "Every operation is an action: a POST with a JSON object that returns a JSON object with "
    "the single property `result`. Errors are problem documents (RFC 9457)."
)
EXTENSIONS: Final = "extensions"
# Marks an operation not needed in other implementations of the interface.
EXTENSION_MARK: Final = "x-visual-review-extension"
TAGS: Final = {
    "repos": "Repositories and what they capture",
    "builds": "Builds, screenshots and decisions",
    "recordings": "The add-on for videos of test runs",
    EXTENSIONS: "Actions beyond the published ones, which a service may have turned off",
}
Actions = tuple[Action[Any, Any], ...]
API_KEY: Final = "An API key of a user or of an organization, created on the page of API keys."


@api_endpoint("GET", "HEAD")
def openapi_document(_request: HttpRequest) -> HttpResponse:
    """Serve the document, also without a key: the document has the API and no stored data."""
    response = HttpResponse(_encoded(callable_actions()), content_type=JSON_TYPE)
    response["Cache-Control"] = "public, max-age=300"
    return response


# The registry never changes while the process runs.
@cache
def _encoded(actions: Actions) -> bytes:
    return json.dumps(build_document(actions)).encode()


def build_document(actions: Actions | None = None) -> dict[str, Any]:
    """Return the document of ``actions``, by default of all, with a relative server URL."""
    components = Components()
    actions = callable_actions() if actions is None else actions
    paths = {
        ACTION_PATH + action.name: {"post": _operation(action, components)} for action in actions
    }
    schemas = components.schemas | PROBLEM_SCHEMAS
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Visual Review",
            "version": VERSION,
            "description": INTRODUCTION,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        # Relative, so the document is valid for every URL of the service.
        "servers": [{"url": "/", "description": "The service that serves this document"}],
        "security": [{"apiKey": []}],
        "tags": [
            {"name": name, "description": text}
            for name, text in TAGS.items()
            if any(_tag(action) == name for action in actions)
        ],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "apiKey": {"type": "http", "scheme": "bearer", "description": API_KEY}
            },
            "responses": dict(error_responses()),
            "schemas": {name: with_examples(schemas[name], schemas) for name in sorted(schemas)},
        },
    }


def _operation(action: Action[Any, Any], components: Components) -> Schema:
    body = components.add_input(action)
    response = components.add_response(action)
    returned = compose_example(response, components.schemas)
    marked = {EXTENSION_MARK: True} if is_extended(action.name) else {}
    return {
        "operationId": action.name,
        **marked,
        "summary": action.title,
        "description": f"{action.description}\n\nNeeds the permission `{action.permission}`.",
        "tags": [_tag(action)],
        "requestBody": {
            "required": True,
            "content": _content(body, _example_input(action, components.resolve(body), components)),
        },
        "responses": {
            "200": {
                "description": "The action's result.",
                "content": _content(
                    response, merge_example(returned, {"result": action.result_in_example})
                ),
            },
            **dict(error_references(action)),
        },
    }


def _tag(action: Action[Any, Any]) -> str:
    return EXTENSIONS if is_extended(action.name) else action.permission.partition(":")[0]


def _content(schema: Schema, example: object) -> Schema:
    return {JSON_TYPE: {"schema": schema, "example": example}}


def _example_input(
    action: Action[Any, Any], schema: Schema, components: Components
) -> dict[str, Any]:
    shown = {*schema.get("required", ()), *action.optional_in_example}
    names = [name for name in schema["properties"] if name in shown]
    return compose_object(schema, components.schemas, names)
