"""What an answer of a host means: data of the wanted shape, or one of our errors."""

import json
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
from visual_review.hosts.rate_limits import asked_for, come_again, used_up

Shape = TypeVar("Shape")
# 451: a repository that was closed for reasons of law.
_MISSING: Final = frozenset({404, 410, 451})
_PASSING: Final = frozenset({408, 425})
_LONGEST_WORDS: Final = 200
# Where hosts write why, in the order of who says most.
_WORDS: Final = ("message", "error_description", "error")


class NotDoneError(HostBusyError):
    """The host is busy and surely did not do what was asked, so that asking again is safe."""


class UnknownHereError(HostAccessError):
    """The host does not know the credentials that were sent; others may do."""


@dataclass(frozen=True)
class Answer:
    """A whole answer; ``asked`` is what was asked, as people may read it: no secret, no query.

    ``next_page`` is where the list goes on, empty at its end.
    """

    asked: str
    status: int
    headers: httpx.Headers
    body: bytes
    next_page: str = ""

    @property
    def kind(self) -> str:
        return str(self.headers.get("Content-Type", "")).partition(";")[0].strip().lower()

    @property
    def limits_the_rate(self) -> bool:
        """GitHub also says 403 when we ask too often, and tells it apart by these."""
        if self.status == HTTPStatus.TOO_MANY_REQUESTS:
            return True
        return self.status == HTTPStatus.FORBIDDEN and (
            "Retry-After" in self.headers
            or self.headers.get("X-RateLimit-Remaining") == "0"
            or "rate limit" in words_of(self).lower()
        )


def failure_of(answer: Answer, moment: datetime) -> HostError | None:
    """The error this answer means; None when it is a good one."""
    status = answer.status
    if answer.limits_the_rate:
        return NotDoneError(
            f"The host limits how often it may be asked ({answer.asked}).",
            come_again(answer.headers, moment),
        )
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in _PASSING:
        until = asked_for(answer.headers, moment)
        return HostBusyError(f"The host answered {status} to {answer.asked}.", until)
    if status >= HTTPStatus.BAD_REQUEST:
        return _client_failure(answer)
    if status >= HTTPStatus.MULTIPLE_CHOICES:
        return HostResponseError(f"The host sends {answer.asked} elsewhere, and not to an end.")
    return None


def _client_failure(answer: Answer) -> HostError:
    if answer.kind == "text/html":
        # A proxy or a wrong address says 404 too, and must not pass for a repository that is gone.
        return not_json(answer)
    said = f"The host answered {answer.status} to {answer.asked}{_quoted(answer)}"
    if answer.status in _MISSING:
        return HostMissingError(f"{said} It is not there, or this account may not see it.")
    if answer.status == HTTPStatus.UNAUTHORIZED:
        return UnknownHereError(f"{said} The credentials are wrong, ended, or were revoked.")
    if answer.status == HTTPStatus.FORBIDDEN:
        return HostAccessError(f"{said} The credentials do not allow this.")
    return HostDeclinedError(said, answer.status)


def read(answer: Answer, shape: type[Shape]) -> Shape:
    """The answer's JSON as ``shape``; raises HostAnswerError, which never quotes a value."""
    try:
        return TypeAdapter(shape).validate_json(answer.body)
    except ValidationError as error:
        fault = error.errors(include_input=False, include_url=False)[0]
        if fault["type"] == "json_invalid":
            raise not_json(answer) from None
        place = ".".join(str(part) for part in fault["loc"]) or "the whole"
        raise HostResponseError(
            f"The host's answer to {answer.asked} is not what its interface promises: "
            f"{place}: {fault['msg']}."
        ) from None


def not_json(answer: Answer) -> HostResponseError:
    what = "a page of HTML" if answer.kind == "text/html" else "something that is no JSON"
    return HostResponseError(
        f"The host answered {what} to {answer.asked} (status {answer.status}). Is the address "
        "right, and does no proxy or sign-in page stand in between?"
    )


def words_of(answer: Answer) -> str:
    """What the host itself says about a failure, on one line; empty when it says nothing."""
    try:
        said: Any = json.loads(answer.body)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(said, dict):
        return ""
    text = next((said[name] for name in _WORDS if isinstance(said.get(name), str)), "")
    return " ".join(text.split())[:_LONGEST_WORDS]


def pause_after(answer: Answer, moment: datetime) -> datetime | None:
    """Until when a good answer says that no further one is to be had."""
    return used_up(answer.headers, moment)


def _quoted(answer: Answer) -> str:
    words = words_of(answer)
    return f": '{words}'." if words else "."
