"""``POST /api/rest/actions/{action}``: every action for programs over plain HTTP."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Final

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from visual_review.accounts.callers import KEY_INVALID, caller_of_key
from visual_review.actions.compression import MIN_BYTES, choose_encoding, compress, compress_parts
from visual_review.actions.dispatch import check_permission
from visual_review.actions.published_calls import call_published
from visual_review.actions.registry import callable_action
from visual_review.api.credentials import bearer_of, wrong_credentials_limited
from visual_review.api.errors import api_endpoint
from visual_review.api.json_bodies import ACTION_LIMIT, JSON_TYPE, read_object
from visual_review.api.user_agents import product_of

# Larger bodies are made, compressed and written part by part.
WHOLE_BYTES: Final = 256 * 1024


def compressed_response(
    parts: Iterator[bytes], accepted: str, content_type: str
) -> HttpResponseBase:
    """Return a response whose body is these parts, in the encoding that the client accepts best."""
    begun: list[bytes] = []
    for part in parts:
        begun.append(part)
        if sum(map(len, begun)) > WHOLE_BYTES:
            return _stream(chain(begun, parts), choose_encoding(accepted), content_type)
    body = b"".join(begun)
    encoding = choose_encoding(accepted) if len(body) >= MIN_BYTES else None
    if encoding is not None:
        body = compress(body, encoding)
    return _mark(HttpResponse(body, content_type=content_type), encoding)


def _stream(parts: Iterator[bytes], encoding: str | None, content_type: str) -> HttpResponseBase:
    if encoding is not None:
        parts = compress_parts(parts, encoding)
    return _mark(StreamingHttpResponse(parts, content_type=content_type), encoding)


def _mark(response: HttpResponseBase, encoding: str | None) -> HttpResponseBase:
    if encoding is not None:
        response["Content-Encoding"] = encoding
    response["Vary"] = "Accept-Encoding"
    return response


@api_endpoint("POST")
def call_action(request: HttpRequest, name: str) -> HttpResponseBase:
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
    parts = chain((b'{"result":',), result.to_json_parts(), (b"}",))
    # The length of a compressed credential would say something about it.
    accepted = "" if action.secret_result else request.headers.get("Accept-Encoding", "")
    response = compressed_response(parts, accepted, JSON_TYPE)
    # Results are private to the key, and some contain a credential that is shown once.
    response["Cache-Control"] = "no-store"
    return response
