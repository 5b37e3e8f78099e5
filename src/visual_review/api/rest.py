"""``POST /api/rest/actions/{action}``: every action for programs over plain HTTP."""

from dataclasses import replace

from django.http import HttpRequest, HttpResponse

from visual_review.accounts.callers import KEY_INVALID, caller_of_key
from visual_review.actions.compression import MIN_BYTES, choose_encoding, compress
from visual_review.actions.dispatch import check_permission
from visual_review.actions.published_calls import call_published
from visual_review.actions.registry import callable_action
from visual_review.api.credentials import bearer_of, wrong_credentials_limited
from visual_review.api.errors import api_endpoint
from visual_review.api.json_bodies import ACTION_LIMIT, JSON_TYPE, read_object
from visual_review.api.user_agents import product_of


def compressed_response(body: bytes, accepted: str, content_type: str) -> HttpResponse:
    """Return a response with ``body``, in the encoding preferred by the client."""
    encoding = choose_encoding(accepted) if len(body) >= MIN_BYTES else None
    if encoding is not None:
        body = compress(body, encoding)
    response = HttpResponse(body, content_type=content_type)
    if encoding is not None:
        response["Content-Encoding"] = encoding
    response["Vary"] = "Accept-Encoding"
    return response


@api_endpoint("POST")
def call_action(request: HttpRequest, name: str) -> HttpResponse:
    """Return ``{"result": ...}``; the caller is checked first, and the body is read last."""
    key = bearer_of(request.headers, KEY_INVALID)
    with wrong_credentials_limited(request.META.get("REMOTE_ADDR", "")):
        caller = caller_of_key(key, "rest")
    program = product_of(request.headers.get("User-Agent", ""))
    caller = replace(caller, client=program.name, client_version=program.version)
    action = callable_action(name)
    # Checked before dispatch: the body of a caller without permission need not be read.
    check_permission(action, caller)
    payload = read_object(request, ACTION_LIMIT)
    result = call_published(action, caller, payload)
    body = b'{"result":' + result.to_json() + b"}"
    # The length of a compressed credential would reveal something about the credential.
    accepted = "" if action.secret_result else request.headers.get("Accept-Encoding", "")
    response = compressed_response(body, accepted, JSON_TYPE)
    # Results are private to the key, and some contain a credential shown only once.
    response["Cache-Control"] = "no-store"
    return response
