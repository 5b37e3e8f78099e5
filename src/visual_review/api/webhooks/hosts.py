"""``POST /api/webhooks/hosts/<account>``: the webhook deliveries of Git providers.

Responds fast: a signed delivery is stored once, and a job handles it.
"""

import hashlib
import json
import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from allauth.core import ratelimit
from django.http import HttpRequest, HttpResponse

from visual_review.api.errors import api_endpoint, problem_response
from visual_review.api.json_bodies import JSON_TYPE, content_length
from visual_review.builds.pull_requests.tracking import pull_requests_lock
from visual_review.hosts.errors import HostNotAllowedError, HostResponseError, SignatureInvalidError
from visual_review.hosts.factory import webhook_reader_of
from visual_review.hosts.port import Event, strip_invalid_characters, to_json
from visual_review.kernel.encryption import DecryptionError, decrypt
from visual_review.kernel.errors import InvalidInputError, TooLargeError, UnauthenticatedError
from visual_review.kernel.ids import is_id
from visual_review.repositories.deliveries import (
    ACCOUNT_REMOVED,
    PING,
    repository_of_event,
    store_delivery,
)
from visual_review.repositories.models import HostAccount

# GitHub's own maximum.
MAX_DELIVERY_BYTES: Final = 25 * 1024 * 1024
CHUNK_BYTES: Final = 256 * 1024
ID_LENGTH: Final = 200
# Events about no repository.
ACCOUNT_EVENTS: Final = frozenset({PING, ACCOUNT_REMOVED})
RATE_LIMIT: Final = "refused_delivery"
# The same for a wrong URL and a wrong secret, so neither can be guessed.
NOT_RECOGNIZED: Final = (
    "This delivery was not recognized. Copy the URL and the secret of the webhook again from "
    "the settings of the Git provider."
)
TOO_MANY: Final = "Too many deliveries from this IP address were rejected. Wait a minute."

logger = logging.getLogger(__name__)


@api_endpoint("POST")
def receive_delivery(request: HttpRequest, account_id: str) -> HttpResponse:
    body = _read_body(request)
    try:
        account = _authenticate(request, account_id, body)
    except UnauthenticatedError as error:
        # Only rejected ones are limited: others must not be able to block a provider's deliveries.
        if not ratelimit.consume(request, action=RATE_LIMIT):
            return _too_many_requests()
        account_name = account_id if is_id(account_id, "host") else "no account"
        logger.warning(
            "a delivery for %s was refused: %s", account_name, error.__cause__ or "unknown"
        )
        raise
    return _store_event(
        account, _read_event(request, account, body), hashlib.sha256(body).hexdigest()
    )


def _read_body(request: HttpRequest) -> bytes:
    if content_length(request) > MAX_DELIVERY_BYTES:
        raise TooLargeError(
            f"The delivery is larger than {MAX_DELIVERY_BYTES} bytes. Nothing was read."
        )
    data = bytearray()
    while chunk := request.read(CHUNK_BYTES):
        data += chunk
    return bytes(data)


def may_be_genuine(account_id: str, headers: Mapping[str, str]) -> bool:
    """Whether a delivery can turn out to be signed, before its body is read."""
    account = _account_with_webhook(account_id)
    if account is None:
        return False
    try:
        secret = decrypt(account.webhook_secret)
        return webhook_reader_of(account.kind).may_be_genuine(headers, secret)
    except (DecryptionError, HostNotAllowedError):
        return False


def _account_with_webhook(account_id: str) -> HostAccount | None:
    known_form = account_id if is_id(account_id, "host") else None
    return HostAccount.objects.filter(pk=known_form).exclude(webhook_secret="").first()


def _authenticate(request: HttpRequest, account_id: str, body: bytes) -> HostAccount:
    account = _account_with_webhook(account_id)
    if account is None:
        raise UnauthenticatedError(NOT_RECOGNIZED)
    try:
        webhook_reader_of(account.kind).verify_signature(
            request.headers, body, decrypt(account.webhook_secret)
        )
    except (SignatureInvalidError, DecryptionError, HostNotAllowedError) as error:
        raise UnauthenticatedError(NOT_RECOGNIZED) from error
    return account


def _read_event(request: HttpRequest, account: HostAccount, body: bytes) -> Event | None:
    try:
        event = webhook_reader_of(account.kind).parse_event(request.headers, body)
    except HostResponseError as error:
        raise InvalidInputError(f"The delivery cannot be read. {error}") from error
    if event is not None and not 0 < len(strip_invalid_characters(event.delivery_id)) <= ID_LENGTH:
        raise InvalidInputError(
            f"The delivery's id must have 1 to {ID_LENGTH} characters. Nothing was stored."
        )
    return event


def _store_event(account: HostAccount, event: Event | None, digest: str) -> HttpResponse:
    if event is None:
        return _outcome_response("ignored", "Events of this kind are not used.")
    repository = repository_of_event(account, event.repository_id, event.full_name)
    if repository is None and event.kind not in ACCOUNT_EVENTS:
        return _outcome_response("ignored", "This repository is not connected here.")
    document = to_json(event)
    lock = pull_requests_lock(repository.pk if repository else "")
    if not store_delivery(account, document["delivery_id"], digest, document, lock):
        return _outcome_response(
            "repeated", "This delivery was received before; nothing was changed.", HTTPStatus.OK
        )
    return _outcome_response("accepted", "The delivery was stored and will be processed.")


def _outcome_response(outcome: str, detail: str, status: int = HTTPStatus.ACCEPTED) -> HttpResponse:
    body = json.dumps({"outcome": outcome, "detail": detail})
    response = HttpResponse(body, content_type=JSON_TYPE, status=status)
    response["Cache-Control"] = "no-store"
    return response


def _too_many_requests() -> HttpResponse:
    response = problem_response(HTTPStatus.TOO_MANY_REQUESTS, TOO_MANY)
    response["Retry-After"] = "60"
    return response
