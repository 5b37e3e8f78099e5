"""API keys: the list, creating one (shown once), revoking one."""

from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from visual_review.accounts.keys import key_visible_to, keys_visible_to
from visual_review.kernel.clock import now
from visual_review.web.cursor_pages import read_page
from visual_review.web.forms.keys import KeyForm, label_permissions
from visual_review.web.forms.problems import FORM_ERRORS, add_form_errors
from visual_review.web.limits import rate_limited
from visual_review.web.reauthentication import confirmed
from visual_review.web.requests import caller_of, member_required, run_action, try_action
from visual_review.web.security import secret_page

KEYS_PER_PAGE = 50
MOST_INACTIVE = 50


@require_http_methods(["GET", "POST"])
@member_required
@confirmed
@rate_limited("create_key")
def keys(request: HttpRequest) -> HttpResponse:
    form = KeyForm(caller_of(request), request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            created = run_action(request, "create_api_key", form.payload())
        except FORM_ERRORS as error:
            add_form_errors(form, error)
        else:
            return _render_key(request, created.key, form.cleaned_data["name"])
    return _render_list(request, form)


def _render_list(request: HttpRequest, form: KeyForm) -> HttpResponse:
    keys = keys_visible_to(caller_of(request))
    is_live = Q(revoked_at=None) & (Q(expires_at=None) | Q(expires_at__gt=now()))
    page = read_page(request, keys.filter(is_live), ("-created_at", "-id"), KEYS_PER_PAGE)
    inactive = keys.exclude(is_live)
    context = {
        "form": form,
        "page": page,
        "live": [(key, label_permissions(key.permissions)) for key in page.rows],
        "inactive": inactive[:MOST_INACTIVE],
        "inactive_count": inactive.count(),
    }
    return render(request, "web/keys.html", context, status=400 if form.errors else 200)


@secret_page
def _render_key(request: HttpRequest, key: str, name: str) -> HttpResponse:
    # Rendered directly: a redirect would have to store the key somewhere in plain text.
    return render(request, "web/key_created.html", {"key": key, "name": name})


@require_http_methods(["GET", "POST"])
@member_required
def revoke(request: HttpRequest, key_id: str) -> HttpResponse:
    key = key_visible_to(caller_of(request), key_id)
    if request.method == "POST":
        if try_action(request, "revoke_api_key", {"keyId": key.id}):
            messages.success(request, f"The key “{key.name}” was revoked.")
        return redirect("keys")
    return render(request, "web/key_revoke.html", {"key": key})
