"""API keys: the list, creating one (shown once), revoking one."""

from collections.abc import Iterable, Iterator
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Q
from django.forms.boundfield import BoundWidget
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from visual_review.accounts.callers import Caller
from visual_review.accounts.key_rules import NAME_LENGTH
from visual_review.accounts.keys import key_visible_to, keys_visible_to
from visual_review.accounts.permissions import (
    AUDIT_VIEW,
    BUILDS_REVIEW,
    BUILDS_VIEW,
    KEYS_MANAGE,
    RECORDINGS_MANAGE,
    RECORDINGS_VIEW,
    REPOS_MANAGE,
    REPOS_VIEW,
)
from visual_review.kernel.clock import now
from visual_review.web.cursor_pages import read_page
from visual_review.web.forms.problems import FORM_ERRORS, add_form_errors
from visual_review.web.limits import rate_limited
from visual_review.web.reauthentication import confirmed
from visual_review.web.requests import caller_of, member_required, run_action, try_action
from visual_review.web.security import secret_page

# Permission -> its label and help text.
PERMISSION_TEXTS = {
    REPOS_VIEW: ("View repositories", "See repositories and their settings"),
    REPOS_MANAGE: (
        "Manage repositories",
        "Connect and remove repositories, rotate their tokens, change capture settings",
    ),
    BUILDS_VIEW: ("View builds", "See builds and their screenshots"),
    BUILDS_REVIEW: ("Review builds", "Approve and reject, set dynamic regions"),
    RECORDINGS_VIEW: ("View recordings", "Watch recordings of tests"),
    RECORDINGS_MANAGE: ("Manage recordings", "Enable, disable and delete recordings"),
    AUDIT_VIEW: ("Read the audit log", "Export the audit log; no key can do so without this"),
}
EXPIRY_CHOICES = [
    ("30", "In 30 days"),
    ("90", "In 90 days"),
    ("365", "In one year"),
    ("", "Never"),
]
SCOPE_CHOICES = [
    ("user", "You: the key acts as you, with at most your current role"),
    (
        "organization",
        "The organization: the key has the permissions below and stays valid when you leave",
    ),
]
KEYS_PER_PAGE = 50
MOST_INACTIVE = 50


def label_permissions(permissions: Iterable[str]) -> list[str]:
    """Return the labels of ``permissions`` as in the form."""
    return [PERMISSION_TEXTS[name][0] if name in PERMISSION_TEXTS else name for name in permissions]


class KeyForm(forms.Form):
    name = forms.CharField(
        label="Name",
        max_length=NAME_LENGTH,
        help_text="Where it is used, such as the name of a computer or program.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scope = forms.ChoiceField(
        label="Owner", choices=SCOPE_CHOICES, initial="user", widget=forms.RadioSelect
    )
    expires_days = forms.ChoiceField(
        label="Expires", choices=EXPIRY_CHOICES, initial="90", required=False
    )
    permissions = forms.MultipleChoiceField(
        label="Permissions", required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, caller: Caller, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - As Django has it.
        super().__init__(*args, **kwargs)
        field = self.fields["permissions"]
        assert isinstance(field, forms.MultipleChoiceField)  # noqa: S101 - For mypy, which does not know the class.
        # No one can give a key a permission they do not have, so the form offers only their own.
        field.choices = [
            (name, label) for name, (label, _) in PERMISSION_TEXTS.items() if caller.may(name)
        ]
        self.manages = caller.may(KEYS_MANAGE)
        if not self.manages:
            # With only one option there is nothing to ask.
            del self.fields["scope"]

    def permission_choices(self) -> Iterator[tuple[BoundWidget, str]]:
        """Yield each checkbox with its help text."""
        for checkbox in self["permissions"]:
            yield checkbox, PERMISSION_TEXTS[str(checkbox.data["value"])][1]

    def payload(self) -> dict[str, object]:
        """Return the payload of ``create_api_key``; only for a valid form."""
        values = self.cleaned_data
        payload: dict[str, object] = {
            "scope": values.get("scope", "user"),
            "name": values["name"],
            "permissions": values["permissions"],
        }
        if values["expires_days"]:
            payload["expiresDays"] = int(values["expires_days"])
        return payload


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
