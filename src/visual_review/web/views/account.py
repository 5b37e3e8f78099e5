"""The user's own account: name, password, organizations, personal data and deletion."""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from allauth.mfa.models import Authenticator
from django import forms
from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from visual_review.accounts.account_deletion import delete_account
from visual_review.accounts.models import User
from visual_review.accounts.oauth.clients import client_of
from visual_review.accounts.users import NAME_LENGTH, rename
from visual_review.audit.models import AuditEntry
from visual_review.audit.queries import entry_as_json
from visual_review.builds.models import Comment, ReviewEntry
from visual_review.kernel.clock import rfc3339
from visual_review.kernel.errors import ConflictError, ForbiddenError
from visual_review.messages.models import Channel
from visual_review.web.limits import rate_limited
from visual_review.web.membership import memberships_of
from visual_review.web.reauthentication import confirmed
from visual_review.web.requests import sign_in_required, user_of

# Of decisions, comments and log entries each, the newest: one person's file must fit into memory.
MOST_ROWS: Final = 20_000
Fact = dict[str, Any]
ELSEWHERE: Final = (
    "You signed in through a provider of one of your organizations. Sign in with your password to "
    "delete the account that the others know, too."
)


class NameForm(forms.Form):
    name = forms.CharField(
        label="Name",
        max_length=NAME_LENGTH,
        required=False,
        help_text="Shown next to your decisions. Without a name, your e-mail address is shown.",
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )


def personal_data(user: User) -> str:
    """Return the whole file. A last line says so if there are more rows than fit."""
    return "".join(f"{json.dumps(fact)}\n" for fact in _facts(user))


def _facts(user: User) -> Iterator[Fact]:
    yield {
        "kind": "account",
        "id": user.id,
        "email": user.email,
        "name": user.name,
        "joinedAt": rfc3339(user.date_joined),
        "lastSignInAt": _time(user.last_login),
    }
    yield from _access(user)
    yield from _limited("comment", map(_comment, _newest(Comment, author_id=user.id)))
    yield from _limited("decision", map(_decision, _newest(ReviewEntry, decided_by_id=user.id)))
    yield from _limited("logEntry", map(entry_as_json, _newest(AuditEntry, actor_id=user.id)))


def _access(user: User) -> Iterator[Fact]:
    for member in user.memberships.select_related("organization"):
        yield {
            "kind": "membership",
            "organization": member.organization.name,
            "role": member.role,
            "since": rfc3339(member.created_at),
        }
    for session in user.sessions.all():
        yield {
            "kind": "session",
            "startedAt": rfc3339(session.started_at),
            "browser": session.browser,
            "network": session.network,
        }
    for identity in user.identities.select_related("provider"):
        yield {
            "kind": "identity",
            "provider": identity.provider.issuer,
            "subject": identity.subject,
            "endedAt": _time(identity.ended_at),
        }
    for factor in Authenticator.objects.filter(user=user):
        yield {
            "kind": "secondFactor",
            "type": factor.type,
            "addedAt": rfc3339(factor.created_at),
            "lastUsedAt": _time(factor.last_used_at),
        }
    for key in user.api_keys.select_related("organization"):
        yield {
            "kind": "apiKey",
            "organization": key.organization.name,
            "name": key.name,
            "createdAt": rfc3339(key.created_at),
            "lastUsedAt": _time(key.last_used_at),
            "revokedAt": _time(key.revoked_at),
        }
    for grant in user.grants.select_related("organization", "application"):
        yield {
            "kind": "connectedApp",
            "organization": grant.organization.name,
            "app": client_of(grant.application).name,
            "scope": grant.scope,
            "createdAt": rfc3339(grant.created_at),
            "disconnectedAt": _time(grant.disconnected_at),
        }
    for channel in Channel.objects.filter(user=user).select_related("organization"):
        organization = channel.organization.name
        yield {"kind": "mail", "organization": organization, "types": channel.types}


def _newest(model: Any, **owner: str) -> Iterator[Any]:  # noqa: ANN401 - Any model with these columns.
    return iter(model.objects.filter(**owner).order_by("-pk")[: MOST_ROWS + 1])


def _limited(kind: str, rows: Iterator[Fact]) -> Iterator[Fact]:
    for number, row in enumerate(rows):
        if number == MOST_ROWS:
            yield {"kind": "incomplete", "of": kind, "shown": MOST_ROWS}
            return
        yield {"kind": kind, **row}


def _comment(row: Comment) -> Fact:
    return {"id": row.id, "at": rfc3339(row.created_at), "text": row.text}


def _decision(row: ReviewEntry) -> Fact:
    return {
        "at": rfc3339(row.decided_at),
        "build": row.build_id,
        "story": row.story_id,
        "decision": row.decision,
        "comment": row.comment,
        "client": row.client,
    }


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else rfc3339(moment)


@require_http_methods(["GET", "POST"])
@sign_in_required
def account(request: HttpRequest) -> HttpResponse:
    user = user_of(request)
    form = NameForm(request.POST or None, initial={"name": user.name})
    if request.method == "POST" and form.is_valid():
        rename(user, form.cleaned_data["name"])
        messages.success(request, "Your name was saved.")
        return redirect("account")
    return render(
        request, "web/account.html", {"form": form, "memberships": memberships_of(request)}
    )


@require_safe
@sign_in_required
@rate_limited("personal_data", frozenset({"GET"}))
def own_data(request: HttpRequest) -> HttpResponse:
    """Download the service's data on the person."""
    _require_whole_account(request)
    response = HttpResponse(personal_data(user_of(request)), content_type="application/jsonl")
    response["Content-Disposition"] = 'attachment; filename="my-data.jsonl"'
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@sign_in_required
@confirmed
def delete(request: HttpRequest) -> HttpResponse:
    """Delete the account, once the person has typed the account's e-mail address."""
    _require_whole_account(request)
    user = user_of(request)
    if request.method == "POST":
        if request.POST.get("email", "").strip().lower() != user.email:
            messages.error(request, "Type the e-mail address of your account to delete it.")
        else:
            try:
                delete_account(user)
            except ConflictError as error:
                messages.error(request, str(error))
                return redirect("delete_account")
            logout(request)
            messages.success(request, "Your account was deleted.")
            return redirect("account_login")
    return render(request, "web/account_delete.html")


def _require_whole_account(request: HttpRequest) -> None:
    """Raise ForbiddenError for a provider's session of a person with other organizations, too."""
    if user_of(request).memberships.count() > len(memberships_of(request)):
        raise ForbiddenError(ELSEWHERE)
