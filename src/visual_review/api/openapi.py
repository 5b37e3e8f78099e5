"""The OpenAPI 3.1 document of the actions, built from the registry."""

import json
from functools import cache
from http import HTTPStatus
from typing import Any, Final

from django.http import HttpRequest, HttpResponse

from visual_review.actions.action import Action
from visual_review.actions.registry import published_actions
from visual_review.api.errors import PROBLEM_TYPE, api_endpoint, problem_type
from visual_review.api.json_bodies import JSON_TYPE
from visual_review.api.schemas import REF, Components, Schema

VERSION: Final = "1.0.0"
ACTION_PATH: Final = "/api/rest/actions/"
INTRODUCTION: Final = (
    "Every operation is an action: a POST with a JSON object that returns a JSON object with "
    "the single property `result`. Errors are problem documents (RFC 9457)."
)
API_KEY: Final = "An API key of a user or of an organization, created on the page of API keys."
ERROR_RESPONSES: Final = {
    HTTPStatus.BAD_REQUEST: "The body is not a JSON object, or the input is invalid.",
    HTTPStatus.UNAUTHORIZED: "The API key is missing, revoked, expired or wrong.",
    HTTPStatus.FORBIDDEN: "The key lacks the permission the action needs.",
    HTTPStatus.NOT_FOUND: "No such action, or an id or product does not exist for this key.",
    HTTPStatus.METHOD_NOT_ALLOWED: "Actions are called by POST.",
    HTTPStatus.CONFLICT: "The current state does not allow this; the detail says why.",
    HTTPStatus.LENGTH_REQUIRED: "The request has no Content-Length.",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "The body is larger than 1 MiB.",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "The body is not application/json in UTF-8.",
    HTTPStatus.TOO_MANY_REQUESTS: "The API key is wrong, like many others from this network.",
    HTTPStatus.INTERNAL_SERVER_ERROR: "The service failed; `incident` names the entry in its log.",
    HTTPStatus.SERVICE_UNAVAILABLE: "A service it depends on does not respond; try again.",
}
# Names mean the same everywhere in the API, so one example per name is enough.
EXAMPLES: Final[dict[str, Any]] = {
    "repoId": "repo_01jq3v8e6m5x0c2n9d4t7r1kza",
    "buildId": "build_01jq3v8e6m5x0c2n9d4t7r1kzb",
    "screenshotId": "shot_01jq3v8e6m5x0c2n9d4t7r1kzc",
    "recordingId": "rec_01jq3v8e6m5x0c2n9d4t7r1kzd",
    "productKey": "default",
    "storyId": "button--primary",
    "fullName": "acme/web",
    "themes": ["light", "dark"],
    "devices": ["phone", "desktop"],
    "comment": "The label must stay on one line.",
    "regions": [{"x": 0.1, "y": 0, "width": 0.25, "height": 0.05}],
}


@api_endpoint("GET", "HEAD")
def openapi_document(_request: HttpRequest) -> HttpResponse:
    """Serve the document; without a key, as it describes the API and no stored data."""
    response = HttpResponse(_encoded(), content_type=JSON_TYPE)
    response["Cache-Control"] = "public, max-age=300"
    return response


# The registry never changes while the process runs.
@cache
def _encoded() -> bytes:
    return json.dumps(build_document()).encode()


def build_document() -> dict[str, Any]:
    """Return the whole document, with a relative server URL."""
    components = Components()
    paths = {
        ACTION_PATH + action.name: {"post": _operation(action, components)}
        for action in published_actions()
    }
    components.schemas["Problem"] = PROBLEM
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Visual Review",
            "version": VERSION,
            "description": INTRODUCTION,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        # Relative, so that the document is valid for every URL of the service.
        "servers": [{"url": "/", "description": "The service that serves this document"}],
        "security": [{"apiKey": []}],
        "tags": [
            {"name": "repos", "description": "Repositories and what they capture"},
            {"name": "builds", "description": "Builds, screenshots and decisions"},
            {"name": "recordings", "description": "The add-on for videos of test runs"},
        ],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "apiKey": {"type": "http", "scheme": "bearer", "description": API_KEY}
            },
            "responses": {
                _response_name(status): _error_response(status, text)
                for status, text in ERROR_RESPONSES.items()
            },
            "schemas": dict(sorted(components.schemas.items())),
        },
    }


def _operation(action: Action[Any, Any], components: Components) -> dict[str, Any]:
    body = components.add_input(action)
    return {
        "operationId": action.name,
        "summary": action.title,
        "description": f"{action.description}\n\nNeeds the permission `{action.permission}`.",
        "tags": [action.permission.partition(":")[0]],
        "requestBody": {
            "required": True,
            "content": {JSON_TYPE: {"schema": body, "example": example_of(components, body)}},
        },
        "responses": {
            "200": {
                "description": "The action's result.",
                "content": {JSON_TYPE: {"schema": components.add_response(action)}},
            },
            **{
                str(int(status)): {"$ref": f"#/components/responses/{_response_name(status)}"}
                for status in ERROR_RESPONSES
                # Reading causes no conflict.
                if status != HTTPStatus.CONFLICT or not action.read_only or action.calls_network
            },
        },
    }


def example_of(components: Components, reference: Schema) -> dict[str, Any]:
    """Return an example input with every required property."""
    schema = components.resolve(reference)
    required = schema.get("required", [])
    return {name: _example(components, name, schema["properties"][name]) for name in required}


def _example(components: Components, name: str, field: Schema) -> Any:  # noqa: ANN401 - Any JSON.
    return EXAMPLES[name] if name in EXAMPLES else components.resolve(field)["enum"][0]


def _error_response(status: HTTPStatus, text: str) -> dict[str, Any]:
    example = {
        "type": problem_type(status),
        "title": status.phrase,
        "status": int(status),
        "detail": text,
    }
    content = {PROBLEM_TYPE: {"schema": {"$ref": REF + "Problem"}, "example": example}}
    return {"description": text, "content": content}


def _response_name(status: HTTPStatus) -> str:
    return "".join(part.capitalize() for part in status.name.split("_"))


PROBLEM: Final[Schema] = {
    "type": "object",
    "description": "A problem document (RFC 9457).",
    "properties": {
        "type": {"type": "string", "description": "Names the kind of problem."},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What was wrong, where, and what to do."},
        "errors": {
            "type": "array",
            "description": "Each error in the input, with a JSON pointer to it.",
            "items": {
                "type": "object",
                "properties": {"pointer": {"type": "string"}, "detail": {"type": "string"}},
                "required": ["pointer", "detail"],
            },
        },
        "incident": {"type": "string", "description": "The id of the entry in the service's log."},
    },
    "required": ["type", "title", "status", "detail"],
}
