"""Asks for a password or factor once more before a form that can give others access."""

import time
from collections.abc import Callable
from functools import wraps
from typing import Final
from urllib.parse import urlencode

from allauth.account.internal.flows.login import get_authentication_records
from allauth.account.internal.flows.reauthentication import get_reauthentication_flows
from allauth.core.exceptions import ReauthenticationRequired
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from visual_review.web.requests import user_of

View = Callable[..., HttpResponse]
RECENT_SECONDS: Final = 15 * 60
# A form with a credential is not kept during the confirmation, so the person gets more time.
LONGER_SECONDS: Final = 60 * 60
AGAIN: Final = "Confirmed. Enter the credentials once more: they were not kept."


def is_confirmed(request: HttpRequest, seconds: float = RECENT_SECONDS) -> bool:
    """Return whether the person of the session proved their identity within ``seconds``."""
    records = get_authentication_records(request, user_of(request))
    return any(time.time() - record["at"] < seconds for record in records)


def confirmed(view: View) -> View:
    """Decorate a form's view: the form is kept while the person confirms, then goes on."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if request.method != "POST" or is_confirmed(request):
            return view(request, *args, **kwargs)
        if not get_reauthentication_flows(request.user):
            return _to_provider(request)
        raise ReauthenticationRequired

    return wrapped


def confirmed_with_secret(view: View) -> View:
    """Decorate the view of a form with a credential, which must not be stored for later."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if request.method != "POST" or is_confirmed(request, LONGER_SECONDS):
            return view(request, *args, **kwargs)
        if not get_reauthentication_flows(request.user):
            return _to_provider(request)
        messages.info(request, AGAIN)
        return redirect_to_login(request.get_full_path(), reverse("account_reauthenticate"))

    return wrapped


def _to_provider(request: HttpRequest) -> HttpResponse:
    """Show a person without a password the link to their provider, which asks for proof again.

    A page in between, because browsers let no form lead to another site.
    """
    query = urlencode({"next": request.get_full_path(), "again": "1"})
    return redirect(f"{reverse('single_sign_on')}?{query}")
