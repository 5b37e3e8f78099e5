"""Connected apps: instructions, the list, and disconnecting one."""

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
from visual_review.web.mcp_setup import NAME, VARIABLE, Snippet, create_snippets, is_unprotected
from visual_review.web.membership import current_membership, usable_organizations
from visual_review.web.organization_switching import follow_form
from visual_review.web.requests import caller_of, sign_in_required, user_of


@dataclass(frozen=True)
class App:
    """A grant with its client."""

    grant: Grant
    client: Client

    @property
    def may_change(self) -> bool:
        return WRITE in self.grant.scope.split()


@require_safe
@sign_in_required
def apps(request: HttpRequest) -> HttpResponse:
    person = user_of(request)
    others: Iterable[Grant] = ()
    if current_membership(request) and caller_of(request).may(KEYS_MANAGE):
        others = grants_visible_to(caller_of(request)).exclude(user=person)
    own = own_grants(person).filter(organization__in=usable_organizations(request))
    context = {"own": _with_clients(own), "others": _with_clients(others)}
    return render(request, "web/apps.html", context)


def _with_clients(grants: Iterable[Grant]) -> list[App]:
    return [App(grant, client_of(grant.application)) for grant in grants]


@require_POST
@sign_in_required
def disconnect(request: HttpRequest, grant_id: str) -> HttpResponse:
    follow_form(request)
    caller = _find_caller(request, grant_id)
    try:
        ended = dispatch(any_action("disconnect_app"), caller, {"grantId": grant_id})
    except ConflictError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"{ended.name} was disconnected. It has no access any more.")
    return redirect("apps")


def _find_caller(request: HttpRequest, grant_id: str) -> Caller:
    """Return the caller in the organization of their own app, otherwise in the current one."""
    # The list shows the user's apps in all organizations, so the button must work for each.
    usable = usable_organizations(request)
    own = own_grants(user_of(request)).filter(pk=grant_id, organization__in=usable).first()
    if own is None:
        return caller_of(request)
    return caller_of_user(user_of(request), own.organization_id, "web")


@require_safe
@sign_in_required
def connect(request: HttpRequest) -> HttpResponse:
    endpoint = resource()
    context = {
        "endpoint": Snippet("address", endpoint),
        "unprotected": is_unprotected(endpoint),
        "snippets": create_snippets(endpoint),
        "name": NAME,
        "variable": VARIABLE,
    }
    return render(request, "web/connect.html", context)
