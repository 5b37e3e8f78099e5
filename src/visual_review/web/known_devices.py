"""Browsers in which a person has signed in before, recognized by a signed cookie.

Failures elsewhere do not delay them (OWASP: device cookies). The cookie signs no one in.
"""

import secrets
from collections.abc import Callable
from datetime import timedelta

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

from visual_review.accounts.attempts import Origin, account_name

SALT = "visual_review.known_device"
VALID = timedelta(days=365)
# People who share a browser; each has an entry of their own.
MOST_ACCOUNTS = 5
ID_BYTES = 16
# Where a view leaves the account for the middleware. Headers of requests begin with 'HTTP_'.
REMEMBERED = "visual_review.remembered_email"


def origin_of(request: HttpRequest, email: str) -> Origin:
    """Return where an attempt for the account with this e-mail address comes from."""
    account = account_name(email)
    device = _devices_in(request).get(_account_mark(account), "")
    return Origin(account, request.META.get("REMOTE_ADDR", ""), device)


def remember_device(request: HttpRequest, email: str) -> None:
    """Make the response set the cookie: the person proved that the account is theirs."""
    request.META[REMEMBERED] = email


def known_device_cookie(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[..., object]:
    """Middleware: sets the cookie of a device that a view remembers."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if REMEMBERED in request.META:
            _set_cookie(request, response, request.META[REMEMBERED])
        return response

    return middleware


def _set_cookie(request: HttpRequest, response: HttpResponse, email: str) -> None:
    mark = _account_mark(account_name(email))
    devices = _devices_in(request)
    # A device keeps its id: with a new one at each sign-in, a thief's budget would begin anew.
    device = devices.pop(mark, "") or secrets.token_urlsafe(ID_BYTES)
    latest = [*devices.items(), (mark, device)][-MOST_ACCOUNTS:]
    response.set_cookie(
        settings.DEVICE_COOKIE_NAME,
        signing.dumps(dict(latest), salt=SALT),
        max_age=VALID,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _devices_in(request: HttpRequest) -> dict[str, str]:
    """Return the device's ids by account; empty without a valid cookie."""
    text = request.COOKIES.get(settings.DEVICE_COOKIE_NAME, "")
    try:
        devices: dict[str, str] = signing.loads(text, salt=SALT, max_age=VALID)
    except signing.BadSignature:
        return {}
    return devices


def _account_mark(account: str) -> str:
    # A digest, so that the cookie does not name the person to the next user of the browser.
    return salted_hmac(SALT, account, algorithm="sha256").hexdigest()[:32]
