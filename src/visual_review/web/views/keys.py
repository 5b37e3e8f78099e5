"""API keys: the list, making one (shown once), revoking one."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from visual_review.accounts.key_rules import is_live
from visual_review.accounts.keys import key_visible_to, keys_visible_to
from visual_review.accounts.models import ApiKey
from visual_review.kernel.clock import now
from visual_review.web.forms.keys import KeyForm
from visual_review.web.forms.problems import REFUSALS, show_problems
from visual_review.web.limits import limited
from visual_review.web.requests import attempt, caller_of, member, run
from visual_review.web.security import secret_page


@require_http_methods(["GET", "POST"])
@member
@limited("create_key")
def keys(request: HttpRequest) -> HttpResponse:
    form = KeyForm(caller_of(request), request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            created = run(request, "create_api_key", form.wish())
        except REFUSALS as error:
            show_problems(form, error)
        else:
            return _created(request, created.key, form.cleaned_data["name"])
    return _list(request, form)


def _list(request: HttpRequest, form: KeyForm) -> HttpResponse:
    moment = now()
    live: list[ApiKey] = []
    ended: list[ApiKey] = []
    for key in keys_visible_to(caller_of(request)):
        (live if is_live(key.revoked_at, key.expires_at, moment) else ended).append(key)
    context = {"form": form, "live": live, "ended": ended}
    return render(request, "web/keys.html", context, status=400 if form.errors else 200)


@secret_page
def _created(request: HttpRequest, key: str, name: str) -> HttpResponse:
    # Shown as the answer itself: a redirect would need a place where the key lies readable.
    return render(request, "web/key_created.html", {"key": key, "name": name})


@require_http_methods(["GET", "POST"])
@member
def revoke(request: HttpRequest, key_id: str) -> HttpResponse:
    key = key_visible_to(caller_of(request), key_id)
    if request.method == "POST":
        if attempt(request, "revoke_api_key", {"keyId": key.id}):
            messages.success(request, f"The key '{key.name}' was revoked.")
        return redirect("keys")
    return render(request, "web/key_revoke.html", {"key": key})
