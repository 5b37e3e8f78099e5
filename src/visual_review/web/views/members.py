"""Members, the credentials that they created, and invitations."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from visual_review.accounts.invitations import open_invitations
from visual_review.accounts.keys import organization_keys_created_by
from visual_review.accounts.links import invitation_link, password_link
from visual_review.accounts.members import is_demotion, member_of, members_of
from visual_review.accounts.models import ROLE_CHOICES, ApiKey, Membership
from visual_review.accounts.permissions import MEMBERS_MANAGE
from visual_review.kernel.errors import (
    ConflictError,
    ForbiddenError,
    InvalidInputError,
    UnavailableError,
)
from visual_review.repositories.host_accounts import account_of, connected_account
from visual_review.repositories.models import ProjectToken
from visual_review.repositories.tokens import tokens_seen_by
from visual_review.web.cursor_pages import read_page
from visual_review.web.forms.people import InvitationForm
from visual_review.web.forms.problems import add_form_errors
from visual_review.web.limits import rate_limited
from visual_review.web.mail import send_invitation
from visual_review.web.reauthentication import confirmed
from visual_review.web.requests import (
    caller_of,
    member_required,
    require_membership,
    run_action,
    try_action,
    user_of,
)
from visual_review.web.security import allow_origins, secret_page
from visual_review.web.views.keys import label_permissions

MEMBERS_PER_PAGE = 100
MOST_INVITATIONS: Final = 100
PAGE_NUMBER: Final = re.compile(r"[1-9]\d{0,2}", re.ASCII)
# Nothing else: a URL of the provider must not add a directive to the policy.
ORIGIN: Final = re.compile(r"https?://[\w.-]+(?::\d{1,5})?(?=/|$)", re.ASCII)


@dataclass(frozen=True)
class CreatedAccess:
    """Credentials outliving a membership: someone who saw a credential can still use it."""

    keys: list[tuple[ApiKey, list[str]]]
    tokens: list[ProjectToken]
    invitations: int

    @property
    def exists(self) -> bool:
        return bool(self.keys or self.tokens or self.invitations)


def find_created_access(membership: Membership) -> CreatedAccess:
    owned = membership.organization_id, membership.user_id
    keys = organization_keys_created_by(*owned)
    return CreatedAccess(
        keys=[(key, label_permissions(key.permissions)) for key in keys],
        tokens=list(tokens_seen_by(*owned)),
        invitations=open_invitations(membership.organization_id)
        .filter(invited_by_id=membership.user_id)
        .count(),
    )


@require_http_methods(["GET", "POST"])
@member_required
@confirmed
def members(request: HttpRequest) -> HttpResponse:
    form = InvitationForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            invited = run_action(request, "invite_member", form.cleaned_data)
        except (ConflictError, InvalidInputError) as error:
            add_form_errors(form, error)
        else:
            return _render_invited(request, [_send(request, invited)], [])
    return _render_list(request, form)


def _render_list(request: HttpRequest, form: InvitationForm) -> HttpResponse:
    caller = caller_of(request)
    members = members_of(caller.organization_id)
    context = {
        "form": form,
        "page": read_page(request, members, ("created_at", "id"), MEMBERS_PER_PAGE),
        "count": members.count(),
        "roles": ROLE_CHOICES,
        "account": account_of(caller.organization_id) if caller.may(MEMBERS_MANAGE) else None,
        "sends_mail": settings.EMAIL_CONFIGURED,
        # Only people who can invite may see who is invited.
        "invitations": open_invitations(caller.organization_id)
        if caller.may(MEMBERS_MANAGE)
        else [],
    }
    return render(request, "web/members.html", context, status=400 if form.errors else 200)


@dataclass(frozen=True)
class SentInvitation:
    """``link`` is empty where mail is set up."""

    email: str
    link: str
    is_mailed: bool


def _send(request: HttpRequest, invited: Any) -> SentInvitation:  # noqa: ANN401 - The action's result.
    """Mail an invitation, after the action's transaction: none may wait for the network."""
    link = invitation_link(invited.secret)
    organization = require_membership(request).organization
    mailed = send_invitation(invited.email, organization.name, caller_of(request).name, link)
    # An owner who sees the link could create an account with someone else's address.
    return SentInvitation(invited.email, "" if settings.EMAIL_CONFIGURED else link, mailed)


@secret_page
def _render_invited(
    request: HttpRequest, sent: Sequence[SentInvitation], problems: Sequence[tuple[str, str]]
) -> HttpResponse:
    """Render whom an owner invited, and the people who could not be invited with the reason."""
    context = {
        "sent": sent,
        "problems": problems,
        "shows_links": any(invitation.link for invitation in sent),
    }
    return render(request, "web/member_invited.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@member_required
@confirmed
@rate_limited("connect_host", frozenset({"GET", "POST"}))
def invite_from_provider(request: HttpRequest) -> HttpResponse:
    """Show the people of a group at the Git provider, and invite the chosen ones."""
    if request.method == "POST":
        return _invite_chosen(request)
    text = request.GET.get("page", "")
    page = int(text) if PAGE_NUMBER.fullmatch(text) else 1
    payload = {"groupId": request.GET.get("group", ""), "page": page}
    context: dict[str, object] = {"account": connected_account(caller_of(request).organization_id)}
    try:
        found = run_action(request, "list_host_people", payload)
    except (ConflictError, UnavailableError) as error:
        context["problem"] = str(error)
        return render(request, "web/invite_from_provider.html", context, status=400)
    query = {"group": found.group_id, "page": page + 1}
    context |= {
        "found": found,
        "roles": ROLE_CHOICES,
        "next_query": f"?{urlencode(query)}" if found.more else "",
    }
    response = render(request, "web/invite_from_provider.html", context)
    return allow_origins(response, images=sorted({_origin(each.avatar) for each in found.people}))


def _invite_chosen(request: HttpRequest) -> HttpResponse:
    sent: list[SentInvitation] = []
    problems: list[tuple[str, str]] = []
    logins = request.POST.getlist("person")[:MOST_INVITATIONS]
    if not logins:
        messages.error(request, "Choose at least one person to invite.")
        return redirect(request.get_full_path())
    for login in logins:
        payload = {
            "email": request.POST.get(f"email-{login}", ""),
            "role": request.POST.get("role", ""),
        }
        try:
            sent.append(_send(request, run_action(request, "invite_member", payload)))
        except (ConflictError, InvalidInputError) as error:
            problems.append((login, str(error)))
    return _render_invited(request, sent, problems)


def _origin(url: str) -> str:
    """Return the origin of an image's URL as a source of the Content-Security-Policy."""
    found = ORIGIN.match(url)
    return found[0] if found else "'self'"


@require_POST
@member_required
@confirmed
def change_role(request: HttpRequest, membership_id: str) -> HttpResponse:
    role = request.POST.get("role", "")
    if "confirmed" not in request.POST and caller_of(request).may(MEMBERS_MANAGE):
        membership = member_of(caller_of(request).organization_id, membership_id)
        access = find_created_access(membership)
        if is_demotion(membership.role, role) and access.exists:
            context = {"person": membership, "access": access, "role": role}
            return render(request, "web/member_demote.html", context)
    payload = {
        "membershipId": membership_id,
        "role": role,
        "keepKeyIds": request.POST.getlist("keep"),
    }
    changed = try_action(request, "change_member_role", payload)
    if not changed:
        return redirect("members")
    messages.success(request, f"{changed.name} is now {changed.role}.")
    if "confirmed" in request.POST:
        return _after_demotion(request, changed.user_id)
    return redirect("members")


@require_http_methods(["GET", "POST"])
@member_required
def remove(request: HttpRequest, membership_id: str) -> HttpResponse:
    if request.method == "POST":
        payload = {"membershipId": membership_id, "keepKeyIds": request.POST.getlist("keep")}
        removed = try_action(request, "remove_member", payload)
        if not removed:
            return redirect("members")
        messages.success(request, f"{removed.name} was removed.")
        return _after_demotion(request, removed.user_id)
    caller = caller_of(request)
    row = member_of(caller.organization_id, membership_id)
    # Every member may open the page; only owners may know which credentials others saw.
    access = find_created_access(row) if caller.may(MEMBERS_MANAGE) else None
    return render(request, "web/member_remove.html", {"person": row, "access": access})


def _after_demotion(request: HttpRequest, user_id: str) -> HttpResponse:
    """Continue with the tokens seen by the person, if there are any to rotate."""
    # Owners may demote or remove themselves, and then may not see this page.
    if user_id == user_of(request).id:
        return redirect("members")
    if not tokens_seen_by(caller_of(request).organization_id, user_id).exists():
        return redirect("members")
    return redirect("seen_tokens", user_id)


@require_safe
@member_required
def seen_tokens(request: HttpRequest, user_id: str) -> HttpResponse:
    """List the project tokens seen by a former or demoted member, for rotating them."""
    caller = caller_of(request)
    if not caller.may(MEMBERS_MANAGE):
        raise ForbiddenError("Only owners can see which project tokens a person saw.")
    tokens = tokens_seen_by(caller.organization_id, user_id)
    return render(request, "web/seen_tokens.html", {"tokens": tokens})


@require_POST
@member_required
@confirmed
@secret_page
def make_password_link(request: HttpRequest, membership_id: str) -> HttpResponse:
    made = try_action(request, "create_password_link", {"membershipId": membership_id})
    if not made:
        return redirect("members")
    if not made.token:
        messages.success(request, f"A link to choose a new password is mailed to {made.name}.")
        return redirect("members")
    context = {"name": made.name, "link": password_link(made.user_id, made.token)}
    return render(request, "web/member_password_link.html", context)


@require_POST
@member_required
def revoke_invitation(request: HttpRequest, invitation_id: str) -> HttpResponse:
    revoked = try_action(request, "revoke_invitation", {"invitationId": invitation_id})
    if revoked:
        messages.success(request, f"The invitation for {revoked.email} was revoked.")
    return redirect("members")
