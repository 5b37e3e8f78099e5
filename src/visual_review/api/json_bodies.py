"""Reads JSON bodies strictly: rejects JSON with different meanings for different parsers."""

import json
from typing import Any, Final, NoReturn

from django.http import HttpRequest

from visual_review.actions.json_values import MAX_DEPTH, check_storable
from visual_review.api.errors import UnsupportedMediaTypeError
from visual_review.kernel.errors import InvalidInputError, TooLargeError

ACTION_LIMIT: Final = 1024 * 1024
# Enough for 500 screenshots, or 50,000 story ids of usual length in a partial build.
MANIFEST_LIMIT: Final = 8 * 1024 * 1024
JSON_TYPE: Final = "application/json"
_UTF8: Final = frozenset({"utf-8", "utf8"})


def read_object(request: HttpRequest, limit: int = ACTION_LIMIT) -> dict[str, Any]:
    """Return the JSON object in the body of a request, of at most ``limit`` bytes.

    Raises UnsupportedMediaTypeError, TooLargeError, or InvalidInputError with the position.
    """
    _check_type(request)
    return parse_object(read_bytes(request, limit))


def parse_object(data: bytes) -> dict[str, Any]:
    """Return the JSON object in ``data``: UTF-8, unique names, finite numbers, bounded nesting."""
    value = parse_value(data)
    if not isinstance(value, dict):
        raise InvalidInputError("The body must be a JSON object, for example {}.")
    check_storable(value)
    return value


def parse_value(data: bytes) -> object:
    """Return the JSON value in ``data``: UTF-8, unique names, finite numbers."""
    return _parse(_decode(data))


def _check_type(request: HttpRequest) -> None:
    charset = (request.content_params or {}).get("charset", "utf-8").lower()
    if request.content_type != JSON_TYPE or charset not in _UTF8:
        raise UnsupportedMediaTypeError(
            f"The body must be sent as 'Content-Type: {JSON_TYPE}' in UTF-8. A call without "
            "properties sends {}."
        )


def read_bytes(request: HttpRequest, limit: int) -> bytes:
    if "HTTP_TRANSFER_ENCODING" in request.META and not request.META.get("CONTENT_LENGTH"):
        raise InvalidInputError("Send the whole body with a Content-Length header.")
    # Checking before reading keeps a huge body out of memory.
    if content_length(request) > limit:
        raise TooLargeError(
            f"The body is larger than {limit} bytes, the most this endpoint accepts. "
            "Nothing was read."
        )
    return request.body


def content_length(request: HttpRequest) -> int:
    """Return the Content-Length of a request in bytes, 0 without one."""
    text = request.META.get("CONTENT_LENGTH") or "0"
    return int(text) if text.isascii() and text.isdigit() else 0


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"The body is not UTF-8: byte {error.start} is invalid.") from error


def _parse(text: str) -> object:
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise InvalidInputError(
            f"The body is not JSON: {error.msg} at line {error.lineno}, column {error.colno}."
        ) from error
    # The depth is checked afterwards, so Python's own limit may come first.
    except RecursionError as error:
        raise InvalidInputError(f"The body is nested deeper than {MAX_DEPTH} levels.") from error
    except ValueError as error:
        # Python's own limit of digits, far above any useful number.
        raise InvalidInputError("The body contains a number with too many digits.") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise InvalidInputError(f"The body contains the property '{name[:100]}' twice.")
        found[name] = value
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise InvalidInputError(f"The body contains {name}, which is not a JSON number.")
