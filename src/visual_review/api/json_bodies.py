"""Reading JSON bodies strictly: what two readers could understand differently is refused."""

import json
from typing import Any, Final, NoReturn

from django.http import HttpRequest

from visual_review.actions.json_values import MAX_DEPTH, refuse_unfit
from visual_review.api.errors import LengthRequiredError, UnsupportedMediaTypeError
from visual_review.kernel.errors import InvalidInputError, TooLargeError

ACTION_LIMIT: Final = 1024 * 1024
# 500 screenshots, or 50,000 story ids of usual length in a partial build, fit in.
MANIFEST_LIMIT: Final = 8 * 1024 * 1024
JSON_TYPE: Final = "application/json"
_UTF8: Final = frozenset({"utf-8", "utf8"})


def read_object(request: HttpRequest, limit: int = ACTION_LIMIT) -> dict[str, Any]:
    """The JSON object a request carries, of at most ``limit`` bytes.

    Raises UnsupportedMediaTypeError, LengthRequiredError, TooLargeError, or
    InvalidInputError that names the place.
    """
    _check_type(request)
    return parse_object(read_bytes(request, limit))


def parse_object(data: bytes) -> dict[str, Any]:
    """The JSON object in ``data``: UTF-8, no name twice, finite numbers, bounded nesting."""
    value = parse_value(data)
    if not isinstance(value, dict):
        raise InvalidInputError("The body must be a JSON object, for example {}.")
    refuse_unfit(value)
    return value


def parse_value(data: bytes) -> object:
    """The JSON value in ``data``: UTF-8, no name twice, finite numbers."""
    return _parse(_decode(data))


def _check_type(request: HttpRequest) -> None:
    charset = (request.content_params or {}).get("charset", "utf-8").lower()
    if request.content_type != JSON_TYPE or charset not in _UTF8:
        raise UnsupportedMediaTypeError(
            f"The body must be sent as 'Content-Type: {JSON_TYPE}' in UTF-8."
        )


def read_bytes(request: HttpRequest, limit: int) -> bytes:
    if "HTTP_TRANSFER_ENCODING" in request.META and not request.META.get("CONTENT_LENGTH"):
        raise LengthRequiredError("Send the body whole, with a Content-Length header.")
    # Asking before reading keeps a huge body out of memory.
    if announced(request) > limit:
        raise TooLargeError(
            f"The body is larger than {limit} bytes, the most this address reads. Nothing was read."
        )
    return request.body


def announced(request: HttpRequest) -> int:
    """The size the request says its body has, in bytes."""
    text = request.META.get("CONTENT_LENGTH") or "0"
    return int(text) if text.isascii() and text.isdigit() else 0


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"The body is not UTF-8: byte {error.start} is wrong.") from error


def _parse(text: str) -> object:
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise InvalidInputError(
            f"The body is not JSON: {error.msg} at line {error.lineno}, column {error.colno}."
        ) from error
    # The depth is looked at afterwards, so Python's own limit may come first.
    except RecursionError as error:
        raise InvalidInputError(f"The body is nested deeper than {MAX_DEPTH} levels.") from error
    except ValueError as error:
        # The reader's own bound on digits, far above any number that has a use here.
        raise InvalidInputError("The body holds a number with too many digits.") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise InvalidInputError(f"The body names the property '{name[:100]}' twice.")
        found[name] = value
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise InvalidInputError(f"The body holds {name}, which is no JSON number.")
