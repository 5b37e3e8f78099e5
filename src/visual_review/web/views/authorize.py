"""``/oauth/authorize``: a person is asked whether an app may act for them, and answers."""

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from visual_review.accounts.callers import caller_of_user
from visual_review.accounts.oauth.authorization_requests import Fault
from visual_review.accounts.oauth.clients import client_of, find_client
from visual_review.accounts.oauth.grants import grant_visible_to, grants_of
from visual_review.accounts.oauth.scopes import WRITE
from visual_review.accounts.oauth.server import (
    AuthorizationRequest,
    InvalidAuthorizationRequestError,
    denied_url,
    granted_url,
    read_request,
)
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import any_action
from visual_review.kernel.errors import ForbiddenError
from visual_review.web.forms.authorize import ConsentForm, choices_of
from visual_review.web.limits import limited
from visual_review.web.membership import current_membership, memberships_of
from visual_review.web.requests import NO_MEMBER, public, signed_in, user_of
from visual_review.web.security import opened_by_apps, secret_page

ALLOW = "allow"
REFUSED = Fault("access_denied", "The person did not let the app in.")
SIGN_IN_NEEDED = Fault("login_required", "The person is not signed in.")
CONSENT_NEEDED = Fault("consent_required", "The person is asked every time.")


@require_http_methods(["GET", "HEAD", "POST"])
@opened_by_apps
@secret_page
@public
def authorize(request: HttpRequest) -> HttpResponse:
    if "none" in request.GET.get("prompt", "").split():
        return _without_asking(request)
    return _with_the_person(request)


def _without_asking(request: HttpRequest) -> HttpResponse:
    fault = CONSENT_NEEDED if request.user.is_authenticated else SIGN_IN_NEEDED
    try:
        asked = read_request(request.GET)
    except InvalidAuthorizationRequestError as error:
        return _hand_over(request, error.asked, error.address)
    return _hand_over(request, asked, denied_url(asked, fault))


# Each look may make us ask a host that anybody named.
@signed_in
@limited("see_consent", {"GET", "HEAD"})
@limited("ask_consent")
def _with_the_person(request: HttpRequest) -> HttpResponse:
    # Signing in comes first: only people make us fetch a client's document, and nobody is sent
    # on to an address who does not use this service (RFC 9700, 4.11.2).
    find_client(request.GET.get("client_id"))
    try:
        asked = read_request(request.GET)
    except InvalidAuthorizationRequestError as error:
        return _hand_over(request, error.asked, error.address)
    memberships = memberships_of(request)
    if not memberships:
        raise ForbiddenError(NO_MEMBER)
    form = ConsentForm(choices_of(memberships), asked.scope, request.POST or None)
    if request.method == "POST" and request.POST.get("decision") != ALLOW:
        return _refuse(request, asked)
    if request.method == "POST" and form.is_valid():
        return _allow(request, asked, form)
    form.prefer(current_membership(request))
    return _ask(request, asked, form)


def _ask(request: HttpRequest, asked: AuthorizationRequest, form: ConsentForm) -> HttpResponse:
    context = {
        "form": form,
        "choices": list(form.choices.values()),
        "client": client_of(asked.application),
        "redirect": asked.redirect,
        "person": user_of(request),
        "asks_changes": WRITE in asked.scope.split(),
        "connected": grants_of(user_of(request), asked.application),
    }
    return render(request, "web/authorize.html", context, status=400 if form.errors else 200)


def _allow(request: HttpRequest, asked: AuthorizationRequest, form: ConsentForm) -> HttpResponse:
    person = user_of(request)
    caller = caller_of_user(person, form.cleaned_data["organization"], "web")
    granted = form.granted()
    wish = {
        "clientId": asked.application.client_id,
        "asked": asked.scope,
        "granted": granted,
    }
    # A grant without its code would be an app that is shown as connected and is not.
    with transaction.atomic():
        connected = dispatch(any_action("connect_app"), caller, wish)
        grant = grant_visible_to(caller, connected.id)
        address = granted_url(request.GET, grant, granted)
    return _hand_over(request, asked, address, decided=True)


def _refuse(request: HttpRequest, asked: AuthorizationRequest) -> HttpResponse:
    chosen = {each.organization_id for each in memberships_of(request)}
    organization = request.POST.get("organization", "")
    membership = current_membership(request)
    if organization not in chosen and membership is not None:
        organization = membership.organization_id
    caller = caller_of_user(user_of(request), organization, "web")
    wish = {"clientId": asked.application.client_id, "asked": asked.scope}
    dispatch(any_action("refuse_app"), caller, wish)
    return _hand_over(request, asked, denied_url(asked, REFUSED), decided=True)


def _hand_over(
    request: HttpRequest, asked: AuthorizationRequest, address: str, *, decided: bool = False
) -> HttpResponse:
    """A page that leads to the client, by itself where that is no surprise.

    No redirect: browsers apply the form's policy to all redirects after it, also to those the
    client's own page makes later, and a private scheme would leave the form on the screen.
    """
    client = client_of(asked.application)
    context = {
        "address": address,
        "client": client,
        "redirect": asked.redirect,
        "decided": decided,
        # Anybody may describe or register a client, and would have a door to their own pages.
        "automatic": decided or asked.redirect.kind != "https",
    }
    return render(request, "web/hand_over.html", context)
