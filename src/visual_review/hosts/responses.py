"""Turns a provider's HTTP response into data of the expected type, a retry, or an error of ours."""

import json
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Any, Final, TypeVar

import httpx
from pydantic import TypeAdapter, ValidationError

from visual_review.hosts.errors import (
    HostAccessError,
    HostBusyError,
    HostDeclinedError,
    HostError,
    HostMissingError,
    HostResponseError,
)
from visual_review.hosts.rate_limits import (
    next_allowed_time,
    parse_rate_limit_reset,
    parse_retry_after,
)

Shape = TypeVar("Shape")
# 451: a repository blocked for legal reasons.
_MISSING: Final = frozenset({404, 410, 451})
_TRANSIENT: Final = frozenset({408, 425})
_LONGEST_MESSAGE: Final = 200
# Where providers give the reason, the most detailed first.
_MESSAGE_FIELDS: Final = ("message", "error_description", "error")


@dataclass(frozen=True)
class RetryPolicy:
    """``first`` and ``longest`` are seconds; pauses double and are spread at random.

    Attempts are few and pauses short: a failed job is retried later, and blocks no one meanwhile.
    """

    attempts: int = 3
    first: float = 0.5
    longest: float = 5.0
    sleep: Callable[[float], None] = time.sleep

    def next_pause(self, attempt: int, until: datetime | None, moment: datetime) -> float | None:
        """Return the seconds to wait after the failed ``attempt``, counted from 0.

        None after the last attempt, or if the provider asks for more than ``longest``: give up.
        """
        if attempt + 1 >= self.attempts:
            return None
        # Jobs failing together must not all retry at the same moment.
        spread = random.uniform(0.5, 1.0)  # noqa: S311 - Not for a secret.
        pause = min(self.longest, self.first * 2.0**attempt) * spread
        if until is None:
            return pause
        asked = (until - moment).total_seconds()
        return max(asked, pause) if asked <= self.longest else None


class RequestNotProcessedError(HostBusyError):
    """The provider is busy and surely did not process the request, so a retry is safe."""


class InvalidCredentialsError(HostAccessError):
    """The provider rejects the credentials of the request; others may work."""


@dataclass(frozen=True)
class HostResponse:
    """A complete response; ``request`` is method and path for messages, without any secret.

    ``next_page`` is the URL of the next page, empty on the last one.
    """

    request: str
    status: int
    headers: httpx.Headers
    body: bytes
    next_page: str = ""

    @property
    def content_type(self) -> str:
        return str(self.headers.get("Content-Type", "")).partition(";")[0].strip().lower()

    @property
    def is_rate_limited(self) -> bool:
        """GitHub also uses 403 for its rate limits, recognized by header or message."""
        if self.status == HTTPStatus.TOO_MANY_REQUESTS:
            return True
        return self.status == HTTPStatus.FORBIDDEN and (
            "Retry-After" in self.headers
            or self.headers.get("X-RateLimit-Remaining") == "0"
            or "rate limit" in error_message(self).lower()
        )


def find_error(response: HostResponse, moment: datetime) -> HostError | None:
    """Return the error of a failed response; None for a successful one."""
    status = response.status
    if response.is_rate_limited:
        return RequestNotProcessedError(
            f"The Git provider limits the request rate ({response.request}).",
            next_allowed_time(response.headers, moment),
        )
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in _TRANSIENT:
        until = parse_retry_after(response.headers, moment)
        message = f"The Git provider responded with status {status} to {response.request}."
        return HostBusyError(message, until)
    if status >= HTTPStatus.BAD_REQUEST:
        return _client_error(response)
    if status >= HTTPStatus.MULTIPLE_CHOICES:
        return HostResponseError(
            f"The Git provider redirects {response.request} without reaching a result."
        )
    return None


def _client_error(response: HostResponse) -> HostError:
    if response.content_type == "text/html":
        # A proxy or a wrong URL also returns 404 and must not be taken for a deleted repository.
        return unexpected_content_error(response)
    message = (
        f"The Git provider responded with status {response.status} to "
        f"{response.request}{_quote(response)}"
    )
    if response.status in _MISSING:
        return HostMissingError(f"{message} It does not exist, or this account may not see it.")
    if response.status == HTTPStatus.UNAUTHORIZED:
        return InvalidCredentialsError(
            f"{message} The credentials are wrong, expired or were revoked."
        )
    if response.status == HTTPStatus.FORBIDDEN:
        return HostAccessError(f"{message} The credentials do not allow this.")
    return HostDeclinedError(message, response.status)


def parse_response(response: HostResponse, shape: type[Shape]) -> Shape:
    """Return the JSON body as ``shape``; raises HostResponseError, never quoting a value."""
    try:
        return TypeAdapter(shape).validate_json(response.body)
    except ValidationError as error:
        fault = error.errors(include_input=False, include_url=False)[0]
        if fault["type"] == "json_invalid":
            raise unexpected_content_error(response) from None
        location = ".".join(str(part) for part in fault["loc"]) or "the document"
        raise HostResponseError(
            f"The Git provider's response to {response.request} does not match its API: "
            f"{location}: {fault['msg']}."
        ) from None


def unexpected_content_error(response: HostResponse) -> HostResponseError:
    is_html = response.content_type == "text/html"
    content = "an HTML page instead of JSON" if is_html else "something that is not JSON"
    return HostResponseError(
        f"The Git provider sent {content} in response to {response.request} "
        f"(status {response.status}). Check the URL, and that no proxy or sign-in page is in "
        "between."
    )


def error_message(response: HostResponse) -> str:
    """Return the provider's own message about an error, on one line; empty without one."""
    try:
        document: Any = json.loads(response.body)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(document, dict):
        return ""
    texts = (document[name] for name in _MESSAGE_FIELDS if isinstance(document.get(name), str))
    return " ".join(next(texts, "").split())[:_LONGEST_MESSAGE]


def find_pause_end(response: HostResponse, moment: datetime) -> datetime | None:
    """Return until when a successful response rules out further calls; None without a limit."""
    return parse_rate_limit_reset(response.headers, moment)


def _quote(response: HostResponse) -> str:
    message = error_message(response)
    return f": '{message}'." if message else "."
