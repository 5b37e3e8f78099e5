"""Connected apps: how to connect one, the list, and disconnecting one."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from visual_review.accounts.callers import Caller, caller_of_user
from visual_review.accounts.models import Grant
from visual_review.accounts.oauth.clients import Client, client_of
from visual_review.accounts.oauth.grants import grants_visible_to, own_grants
from visual_review.accounts.oauth.resource import resource
from visual_review.accounts.oauth.scopes import WRITE
from visual_review.accounts.permissions import KEYS_MANAGE
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import any_action
from visual_review.kernel.errors import ConflictError
from visual_review.web.mcp_setup import NAME, VARIABLE, Snippet, is_unprotected, snippets
from visual_review.web.membership import current_membership
from visual_review.web.requests import caller_of, signed_in, user_of


@dataclass(frozen=True)
class App:
    """A grant with what is known of its client."""

    grant: Grant
    client: Client

    @property
    def may_change(self) -> bool:
        return WRITE in self.grant.scope.split()


@require_safe
@signed_in
def apps(request: HttpRequest) -> HttpResponse:
    person = user_of(request)
    others: Iterable[Grant] = ()
    if current_membership(request) and caller_of(request).may(KEYS_MANAGE):
        others = grants_visible_to(caller_of(request)).exclude(user=person)
    context = {"own": _apps(own_grants(person)), "others": _apps(others)}
    return render(request, "web/apps.html", context)


def _apps(grants: Iterable[Grant]) -> list[App]:
    return [App(grant, client_of(grant.application)) for grant in grants]


@require_POST
@signed_in
def disconnect(request: HttpRequest, grant_id: str) -> HttpResponse:
    caller = _caller_for(request, grant_id)
    try:
        ended = dispatch(any_action("disconnect_app"), caller, {"grantId": grant_id})
    except ConflictError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"{ended.name} was disconnected. Its next call is refused.")
    return redirect("apps")


def _caller_for(request: HttpRequest, grant_id: str) -> Caller:
    """The person in the organization of their own app, else in the one they work in."""
    # The list shows one's own apps of all organizations, so a click must work for each.
    own = own_grants(user_of(request)).filter(pk=grant_id).first()
    if own is None:
        return caller_of(request)
    return caller_of_user(user_of(request), own.organization_id, "web")


@require_safe
@signed_in
def connect(request: HttpRequest) -> HttpResponse:
    endpoint = resource()
    context = {
        "address": Snippet("address", endpoint),
        "unprotected": is_unprotected(endpoint),
        "snippets": snippets(endpoint),
        "name": NAME,
        "variable": VARIABLE,
    }
    return render(request, "web/connect.html", context)
