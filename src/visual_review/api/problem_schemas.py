"""Problem documents (RFC 9457) in the OpenAPI document: their schemas and the responses."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any, Final

from visual_review.actions.action import Action
from visual_review.api.errors import PROBLEM_TYPE, problem_type
from visual_review.api.schemas import REF, Schema

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
