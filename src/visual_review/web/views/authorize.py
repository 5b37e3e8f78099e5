"""``/oauth/authorize``: asks a person whether an app may act for them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.db import transaction
from django.forms.boundfield import BoundWidget
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from visual_review.accounts.callers import caller_of_user
from visual_review.accounts.models import Membership
from visual_review.accounts.oauth.authorization_requests import ErrorResponse
from visual_review.accounts.oauth.clients import client_of, find_client
from visual_review.accounts.oauth.grants import grant_visible_to, grants_of
from visual_review.accounts.oauth.scopes import READ, WRITE, limit_scope, may_change, scope_text
from visual_review.accounts.oauth.server import (
    AuthorizationRequest,
    InvalidAuthorizationRequestError,
    make_code_redirect,
    make_error_redirect,
    read_request,
)
from visual_review.accounts.permissions import BUILDS_REVIEW, REPOS_MANAGE, permissions_of
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import any_action
from visual_review.web.limits import rate_limited
from visual_review.web.membership import current_membership, memberships_of
from visual_review.web.requests import (
    detour_of,
    public_page,
    require_membership,
    sign_in_required,
    user_of,
)
from visual_review.web.second_factor import lacks_second_factor
from visual_review.web.security import keep_opener, secret_page

ALLOW = "allow"
DENIED = ErrorResponse("access_denied", "The user denied access.")
SIGN_IN_NEEDED = ErrorResponse("login_required", "The user is not signed in.")
CONSENT_NEEDED = ErrorResponse("consent_required", "The user must consent every time.")

READ_ONLY, CHANGES = "read", "changes"
ACCESS = [(READ_ONLY, "Read-only"), (CHANGES, "Read and change")]


@dataclass(frozen=True)
class Choice:
    """An organization the app could act in, with the person's permissions there."""

    id: str
    name: str
    role: str
    may_change: bool

    @property
    def permissions_text(self) -> str:
        """The permissions of the role, as continuation of 'you can'."""
        held = permissions_of(self.role)
        if REPOS_MANAGE in held:
            return "view, approve, reject and manage repositories"
        return "view, approve and reject" if BUILDS_REVIEW in held else "only view"


def list_choices(memberships: Sequence[Membership]) -> list[Choice]:
    return [
        Choice(
            each.organization_id,
            each.organization.name,
            each.role,
            may_change(permissions_of(each.role)),
        )
        for each in memberships
    ]


class ConsentForm(forms.Form):
    organization = forms.ChoiceField(label="Organization", widget=forms.RadioSelect)
    access = forms.ChoiceField(
        label="Access", choices=ACCESS, widget=forms.RadioSelect, required=False
    )

    def __init__(
        self,
        choices: Sequence[Choice],
        requested_scope: str,
        *args: Any,  # noqa: ANN401 - As Django has it.
        **kwargs: Any,  # noqa: ANN401 - As Django has it.
    ) -> None:
        super().__init__(*args, **kwargs)
        self.choices = {choice.id: choice for choice in choices}
        self.requested_scope = requested_scope
        field = self.fields["organization"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - For mypy, which does not know the class.
        field.choices = [(choice.id, choice.name) for choice in choices]
        self.offers_changes = requested_scope != READ and any(
            choice.may_change for choice in choices
        )
        if not self.offers_changes:
            # With only one option there is nothing to ask.
            del self.fields["access"]

    def organizations(self) -> Iterator[tuple[BoundWidget, Choice]]:
        """Yield each radio button with its organization."""
        for radio in self["organization"]:
            yield radio, self.choices[str(radio.data["value"])]

    def set_initial(self, membership: Membership | None) -> None:
        """Preselect the person's current organization and the requested access."""
        if membership is None:
            return
        self.initial["organization"] = membership.organization_id
        may_change_here = self.choices[membership.organization_id].may_change
        self.initial["access"] = CHANGES if may_change_here else READ_ONLY

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        choice = self.choices.get(values.get("organization", ""))
        if choice and values.get("access") == CHANGES and not choice.may_change:
            self.add_error(
                "access",
                f"As {choice.role} of {choice.name} you can only grant read-only access. Choose "
                "read-only, or another organization.",
            )
        return values

    def granted_scope(self) -> str:
        """Return the scope granted by the person; only for a valid form."""
        if self.cleaned_data.get("access") != CHANGES:
            return READ
        held = permissions_of(self.choices[self.cleaned_data["organization"]].role)
        return limit_scope(scope_text(self.requested_scope.split()), held)


@require_http_methods(["GET", "HEAD", "POST"])
@keep_opener
@secret_page
@public_page
def authorize(request: HttpRequest) -> HttpResponse:
    if "none" in request.GET.get("prompt", "").split():
        return _respond_without_prompt(request)
    return _ask_for_consent(request)


def _respond_without_prompt(request: HttpRequest) -> HttpResponse:
    error_response = CONSENT_NEEDED if request.user.is_authenticated else SIGN_IN_NEEDED
    try:
        authorization = read_request(request.GET)
    except InvalidAuthorizationRequestError as error:
        return _render_hand_over(request, error.authorization_request, error.redirect_url)
    return _render_hand_over(
        request, authorization, make_error_redirect(authorization, error_response)
    )


# Each request may make us fetch a URL chosen by anyone.
@sign_in_required
@rate_limited("see_consent", {"GET", "HEAD"})
@rate_limited("ask_consent")
def _ask_for_consent(request: HttpRequest) -> HttpResponse:
    # Sign in first: only users can make us fetch a client's document, and only users are
    # redirected to a client's URL (RFC 9700, 4.11.2).
    find_client(request.GET.get("client_id"))
    try:
        authorization = read_request(request.GET)
    except InvalidAuthorizationRequestError as error:
        return _render_hand_over(request, error.authorization_request, error.redirect_url)
    if (detour := detour_of(request)) is not None:
        return detour
    require_membership(request)
    usable = [each for each in memberships_of(request) if not lacks_second_factor(request, each)]
    form = ConsentForm(list_choices(usable), authorization.scope, request.POST or None)
    if request.method == "POST" and request.POST.get("decision") != ALLOW:
        return _deny(request, authorization)
    if request.method == "POST" and form.is_valid():
        return _allow(request, authorization, form)
    form.set_initial(current_membership(request))
    return _render_consent(request, authorization, form)


def _render_consent(
    request: HttpRequest, authorization: AuthorizationRequest, form: ConsentForm
) -> HttpResponse:
    context = {
        "form": form,
        "choices": list(form.choices.values()),
        "client": client_of(authorization.application),
        "redirect": authorization.redirect,
        "person": user_of(request),
        "asks_changes": WRITE in authorization.scope.split(),
        "connected": grants_of(user_of(request), authorization.application),
    }
    return render(request, "web/authorize.html", context, status=400 if form.errors else 200)


def _allow(
    request: HttpRequest, authorization: AuthorizationRequest, form: ConsentForm
) -> HttpResponse:
    person = user_of(request)
    caller = caller_of_user(person, form.cleaned_data["organization"], "web")
    granted = form.granted_scope()
    payload = {
        "clientId": authorization.application.client_id,
        "asked": authorization.scope,
        "granted": granted,
    }
    # A grant without its code would show an app as connected without a connection.
    with transaction.atomic():
        connected = dispatch(any_action("connect_app"), caller, payload)
        grant = grant_visible_to(caller, connected.id)
        redirect_url = make_code_redirect(request.GET, grant, granted)
    return _render_hand_over(request, authorization, redirect_url, decided=True)


def _deny(request: HttpRequest, authorization: AuthorizationRequest) -> HttpResponse:
    chosen = {each.organization_id for each in memberships_of(request)}
    organization = request.POST.get("organization", "")
    membership = current_membership(request)
    if organization not in chosen and membership is not None:
        organization = membership.organization_id
    caller = caller_of_user(user_of(request), organization, "web")
    payload = {"clientId": authorization.application.client_id, "asked": authorization.scope}
    dispatch(any_action("refuse_app"), caller, payload)
    return _render_hand_over(
        request, authorization, make_error_redirect(authorization, DENIED), decided=True
    )


def _render_hand_over(
    request: HttpRequest,
    authorization: AuthorizationRequest,
    redirect_url: str,
    *,
    decided: bool = False,
) -> HttpResponse:
    """Render a page leading to the client, automatically where expected.

    Not a redirect: browsers apply the form's policy to all later redirects, including redirects of
    the client's page, and a private scheme would leave the form on the screen.
    """
    client = client_of(authorization.application)
    context = {
        "redirect_url": redirect_url,
        "client": client,
        "redirect": authorization.redirect,
        "decided": decided,
        # Anyone can publish or register a client, and would get an open redirect.
        "automatic": decided or authorization.redirect.kind != "https",
    }
    return render(request, "web/hand_over.html", context)
