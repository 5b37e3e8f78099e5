"""The HTTP request of one message: its headers, and its complete body."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from django.http.request import MediaType
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope

from visual_review.api.errors import UnsupportedMediaTypeError
from visual_review.api.json_bodies import ACTION_LIMIT, JSON_TYPE
from visual_review.kernel.errors import TooLargeError

_UTF8: Final = frozenset({"utf-8", "utf8"})


def is_json(content_type: str) -> bool:
    """Whether a body of the type is JSON in UTF-8, the only encoding of JSON."""
    media = MediaType(content_type)
    charset = media.params.get("charset", "utf-8").lower()
    return f"{media.main_type}/{media.sub_type}".lower() == JSON_TYPE and charset in _UTF8


def takes_json(accept: str) -> bool:
    """Whether a client with the header ``accept`` takes JSON; an empty one means anything."""
    if not accept.strip():
        return True
    ranges = map(MediaType, accept.split(","))
    return any(media.quality > 0 and media.match(JSON_TYPE) for media in ranges)


TOO_LARGE = f"The message is larger than {ACTION_LIMIT} bytes, the most this endpoint accepts."
# All requests of a client have the same types.
accepts_json = lru_cache(maxsize=32)(takes_json)
contains_json = lru_cache(maxsize=32)(is_json)


@dataclass(frozen=True)
class McpRequest:
    """``headers`` have names in lower case; ``body`` ends after one byte too many.

    ``tool_limits`` are the values of each header for narrowing the tools.
    """

    method: str
    headers: dict[str, str]
    client_address: str
    query: str = ""
    body: bytes = b""
    tool_limits: tuple[str, ...] = ()

    def header(self, name: str) -> str:
        return self.headers.get(name, "")

    def message_body(self) -> bytes:
        """Return the body; raises UnsupportedMediaTypeError or TooLargeError."""
        if not contains_json(self.header("content-type")):
            raise UnsupportedMediaTypeError(
                f"The body must be sent as 'Content-Type: {JSON_TYPE}' in UTF-8."
            )
        if len(self.body) > ACTION_LIMIT:
            raise TooLargeError(TOO_LARGE)
        return self.body


def join_headers(scope: Scope) -> dict[str, str]:
    """Return the headers by name, repeated ones joined, since a proxy may use any of them."""
    joined: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        joined[name] = f"{joined[name]}, {value}" if name in joined else value
    return joined


def values_of_header(scope: Scope, name: str) -> tuple[str, ...]:
    """Return the value of each header with the name, in the order of the request."""
    wanted = name.lower().encode("latin-1")
    return tuple(value.decode("latin-1") for key, value in scope["headers"] if key == wanted)


async def receive_body(receive: Receive) -> bytes:
    """Return the body, of at most one byte more than the limit; raises ClientDisconnect."""
    parts: list[bytes] = []
    size = 0
    while size <= ACTION_LIMIT:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if not message.get("more_body", False):
            break
    return b"".join(parts)
