"""After a change of the password: which keys and apps of the person should keep working."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from visual_review.accounts.callers import caller_of_user
from visual_review.accounts.keys import keys_usable_by
from visual_review.accounts.models import ApiKey, Grant, User
from visual_review.accounts.oauth.clients import client_of
from visual_review.accounts.oauth.grants import own_grants
from visual_review.accounts.users import end_access_review
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import any_action
from visual_review.kernel.errors import VisualReviewError
from visual_review.web.membership import usable_organizations
from visual_review.web.requests import sign_in_required, user_of


@require_http_methods(["GET", "POST"])
@sign_in_required
def own_access(request: HttpRequest) -> HttpResponse:
    user = user_of(request)
    # A provider's session neither sees nor ends the person's access in other organizations.
    usable = usable_organizations(request)
    keys = [key for key in keys_usable_by(user) if key.organization_id in usable]
    grants = [grant for grant in own_grants(user) if grant.organization_id in usable]
    if request.method == "POST":
        revoked = _revoke_chosen(request, user, keys, grants)
        end_access_review(user)
        messages.success(request, _describe(revoked))
        return redirect("account")
    context = {
        "keys": keys,
        "apps": [(grant, client_of(grant.application)) for grant in grants],
        "reviews_access": True,
    }
    return render(request, "web/own_access.html", context)


def _revoke_chosen(
    request: HttpRequest, user: User, keys: list[ApiKey], grants: list[Grant]
) -> int:
    chosen = set() if "keep" in request.POST else set(request.POST.getlist("revoke"))
    calls = [
        ("revoke_api_key", key.organization_id, {"keyId": key.id})
        for key in keys
        if key.id in chosen
    ] + [
        ("disconnect_app", grant.organization_id, {"grantId": grant.id})
        for grant in grants
        if grant.id in chosen
    ]
    return sum(_run(user, *call) for call in calls)


def _run(user: User, action: str, organization_id: str, payload: dict[str, str]) -> bool:
    """Run an action in the organization of the key or app; False if one was revoked meanwhile."""
    try:
        dispatch(any_action(action), caller_of_user(user, organization_id, "web"), payload)
    except VisualReviewError:
        return False
    return True


def _describe(revoked: int) -> str:
    if not revoked:
        return "Your keys and apps keep working."
    return f"{revoked} of your keys and apps {'was' if revoked == 1 else 'were'} revoked."
