"""The OpenAPI 3.1 document of the actions, built from the registry."""

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from http import HTTPStatus
from typing import Any, Final

from django.http import HttpRequest, HttpResponse

from visual_review.actions.action import Action
from visual_review.actions.registry import callable_actions, is_extended
from visual_review.api.errors import PROBLEM_TYPE, api_endpoint, problem_type
from visual_review.api.json_bodies import JSON_TYPE
from visual_review.api.schemas import REF, Components, Schema

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
NULL: Final[Schema] = {"type": "null"}
ERROR_RESPONSES: Final = {
    HTTPStatus.BAD_REQUEST: "The body is not a JSON object, or the input is invalid.",
    HTTPStatus.UNAUTHORIZED: "The API key is missing, revoked, expired or wrong.",
    HTTPStatus.FORBIDDEN: "The key lacks the permission the action needs.",
    HTTPStatus.NOT_FOUND: "No such action, or an id or product does not exist for this key.",
    HTTPStatus.METHOD_NOT_ALLOWED: "Actions are called by POST.",
    HTTPStatus.REQUEST_TIMEOUT: "The body arrived too slowly; nothing was stored.",
    HTTPStatus.CONFLICT: "The current state does not allow this; the detail says why.",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "The body is larger than 1 MiB.",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "The body is not application/json in UTF-8.",
    HTTPStatus.TOO_MANY_REQUESTS: "The API key is wrong, like many others from this network.",
    HTTPStatus.INTERNAL_SERVER_ERROR: "The service failed; `incident` names the entry in its log.",
    HTTPStatus.SERVICE_UNAVAILABLE: "A service it depends on does not respond; try again.",
    HTTPStatus.INSUFFICIENT_STORAGE: "The service's disk is full; its operator must free space.",
}
PROBLEM_SCHEMAS: Final[dict[str, Schema]] = {
    "Problem": {
        "type": "object",
        "description": "A problem document (RFC 9457).",
        "properties": {
            "type": {
                "type": "string",
                "description": "Names the kind of problem.",
                "examples": [problem_type(HTTPStatus.BAD_REQUEST)],
            },
            "title": {
                "type": "string",
                "description": "The name of the status.",
                "examples": [HTTPStatus.BAD_REQUEST.phrase],
            },
            "status": {
                "type": "integer",
                "description": "The status of the response.",
                "examples": [int(HTTPStatus.BAD_REQUEST)],
            },
            "detail": {
                "type": "string",
                "description": "What was wrong, where, and what to do.",
                "examples": [
                    "The input of 'get_build' is not valid: /buildId: is missing; it is required"
                ],
            },
            "errors": {
                "type": "array",
                "description": "Each error in the input, with a JSON pointer to it.",
                "items": {"$ref": REF + "ProblemError"},
            },
            "incident": {
                "type": "string",
                "description": "The id of the entry in the service's log.",
                "examples": ["inc_01jq3v8e6m5x0c2n9d4t7r1kze"],
            },
        },
        "required": ["type", "title", "status", "detail"],
    },
    "ProblemError": {
        "type": "object",
        "description": "One error in the input.",
        "properties": {
            "pointer": {
                "type": "string",
                "description": "The JSON pointer (RFC 6901) to the value; empty: the whole input.",
                "examples": ["/buildId"],
            },
            "detail": {
                "type": "string",
                "description": "What is wrong with it.",
                "examples": ["is missing; it is required"],
            },
        },
        "required": ["pointer", "detail"],
    },
}


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


def error_references(action: Action[Any, Any]) -> Iterator[tuple[str, Schema]]:
    """Yield the possible statuses of ``action``, each with its response."""
    for status in ERROR_RESPONSES:
        # Reading causes no conflict.
        if status != HTTPStatus.CONFLICT or not action.read_only or action.calls_network:
            yield str(int(status)), {"$ref": f"#/components/responses/{_response_name(status)}"}


def error_responses() -> Iterator[tuple[str, Schema]]:
    """Yield the responses of all errors by name."""
    for status, text in ERROR_RESPONSES.items():
        example = {
            "type": problem_type(status),
            "title": status.phrase,
            "status": int(status),
            "detail": text,
        }
        content = {PROBLEM_TYPE: {"schema": {"$ref": REF + "Problem"}, "example": example}}
        yield _response_name(status), {"description": text, "content": content}


def _response_name(status: HTTPStatus) -> str:
    return "".join(part.capitalize() for part in status.name.split("_"))
