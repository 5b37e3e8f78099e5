"""``POST /api/webhooks/hosts/<account>``: what source hosts tell of by themselves.

Answers fast: a signed delivery is kept, once, and a job does the rest.
"""

import hashlib
import json
import logging
from http import HTTPStatus
from typing import Final

from allauth.core import ratelimit
from django.http import HttpRequest, HttpResponse

from visual_review.api.errors import api_endpoint, problem
from visual_review.api.json_bodies import JSON_TYPE, announced
from visual_review.builds.pull_requests.tracking import follow_lock
from visual_review.hosts.errors import HostNotAllowedError, HostResponseError, SignatureInvalidError
from visual_review.hosts.factory import deliveries_of
from visual_review.hosts.port import Event
from visual_review.hosts.stored_events import clean, to_json
from visual_review.kernel.encryption import DecryptionError, decrypt
from visual_review.kernel.errors import InvalidInputError, TooLargeError, UnauthenticatedError
from visual_review.kernel.ids import is_id
from visual_review.repositories.deliveries import (
    ACCOUNT_REMOVED,
    PING,
    receive,
    repository_of_event,
)
from visual_review.repositories.models import HostAccount

# The most that GitHub sends.
LARGEST: Final = 25 * 1024 * 1024
PIECE: Final = 256 * 1024
ID_LENGTH: Final = 200
# What a host tells of no repository at all.
OF_THE_ACCOUNT: Final = frozenset({PING, ACCOUNT_REMOVED})
REFUSALS: Final = "refused_delivery"
# The same for an address that is wrong and a secret that is: neither can be found out by trying.
NOT_RECOGNIZED: Final = (
    "This delivery was not recognized. Copy the address and the secret of the webhook again from "
    "the page 'Source host' in the settings."
)
TOO_OFTEN: Final = "Too many deliveries from this address were refused. Wait a minute."

logger = logging.getLogger(__name__)


@api_endpoint("POST")
def take_delivery(request: HttpRequest, account_id: str) -> HttpResponse:
    body = _body(request)
    try:
        account = _signed_for(request, account_id, body)
    except UnauthenticatedError as refusal:
        # Only refused ones count and are held up: strangers must not keep a host's out.
        if not ratelimit.consume(request, action=REFUSALS):
            return _too_often()
        named = account_id if is_id(account_id, "host") else "no account"
        logger.warning("a delivery for %s was refused: %s", named, refusal.__cause__ or "unknown")
        raise
    return _take(account, _read(request, account, body), hashlib.sha256(body).hexdigest())


def _body(request: HttpRequest) -> bytes:
    if announced(request) > LARGEST:
        raise TooLargeError(f"The delivery is larger than {LARGEST} bytes. Nothing was read.")
    data = bytearray()
    while piece := request.read(PIECE):
        data += piece
    return bytes(data)


def _signed_for(request: HttpRequest, account_id: str, body: bytes) -> HostAccount:
    known_form = account_id if is_id(account_id, "host") else None
    account = HostAccount.objects.filter(pk=known_form).exclude(webhook_secret="").first()
    if account is None:
        raise UnauthenticatedError(NOT_RECOGNIZED)
    try:
        deliveries_of(account.kind).check(request.headers, body, decrypt(account.webhook_secret))
    except (SignatureInvalidError, DecryptionError, HostNotAllowedError) as error:
        raise UnauthenticatedError(NOT_RECOGNIZED) from error
    return account


def _read(request: HttpRequest, account: HostAccount, body: bytes) -> Event | None:
    try:
        event = deliveries_of(account.kind).read(request.headers, body)
    except HostResponseError as error:
        raise InvalidInputError(f"The delivery cannot be read. {error}") from error
    if event is not None and not 0 < len(clean(event.delivery_id)) <= ID_LENGTH:
        raise InvalidInputError(
            f"The delivery's id must have 1 to {ID_LENGTH} characters, so that it is taken once."
        )
    return event


def _take(account: HostAccount, event: Event | None, digest: str) -> HttpResponse:
    if event is None:
        return _answer("ignored", "Nothing here depends on events of this kind.")
    repository = repository_of_event(account, event.repository_id, event.full_name)
    if repository is None and event.kind not in OF_THE_ACCOUNT:
        return _answer("ignored", "This repository is not connected here.")
    document = to_json(event)
    lock = follow_lock(repository.pk if repository else "")
    if not receive(account, document["delivery_id"], digest, document, lock):
        return _answer("repeated", "This delivery came before; nothing was changed.", HTTPStatus.OK)
    return _answer("accepted", "The delivery was stored and is handled next.")


def _answer(outcome: str, detail: str, status: int = HTTPStatus.ACCEPTED) -> HttpResponse:
    body = json.dumps({"outcome": outcome, "detail": detail})
    response = HttpResponse(body, content_type=JSON_TYPE, status=status)
    response["Cache-Control"] = "no-store"
    return response


def _too_often() -> HttpResponse:
    response = problem(HTTPStatus.TOO_MANY_REQUESTS, TOO_OFTEN)
    response["Retry-After"] = "60"
    return response
