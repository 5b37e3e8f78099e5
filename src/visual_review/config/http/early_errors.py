"""Errors of the server itself, before or after the application: problem documents for programs."""

import json
from http import HTTPStatus
from typing import Final

from visual_review.api.errors import PROBLEM_TYPE, problem_document
from visual_review.api.paths import is_api_path

Header = tuple[bytes, bytes]
TEXT: Final[Header] = (b"content-type", b"text/plain; charset=utf-8")
PROBLEM: Final[Header] = (b"content-type", PROBLEM_TYPE.encode())


def early_error(target: bytes, status: HTTPStatus, message: str) -> tuple[Header, bytes]:
    """Return the content type and the body of an error for the request of ``target``.

    The target may be incomplete, or empty if the request could not be read as far.
    """
    path = target.partition(b"?")[0].decode("latin-1")
    if is_api_path(path):
        return PROBLEM, json.dumps(problem_document(status, message)).encode()
    return TEXT, message.encode()
