"""Accepting an invitation, and the setup of the first owner, both through a one-time link."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from visual_review.accounts.invitations import (
    accept_as_new,
    accept_as_user,
    invitation_of_link,
    is_address_proven,
    replace_link,
)
from visual_review.accounts.links import invitation_link
from visual_review.accounts.models import Invitation, User
from visual_review.accounts.secrets import INVITATION, new_secret
from visual_review.accounts.setup import check_setup_link, use_setup_link
from visual_review.kernel.errors import ConflictError, InvalidInputError
from visual_review.web.forms.people import JoinForm, SetupForm
from visual_review.web.forms.problems import add_form_errors
from visual_review.web.limits import rate_limited
from visual_review.web.mail import send_invitation
from visual_review.web.membership import SESSION_KEY, start_session
from visual_review.web.requests import public_page
from visual_review.web.security import secret_page


@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
@secret_page
@rate_limited("signup")
@public_page
def invitation(request: HttpRequest, secret: str) -> HttpResponse:
    row = invitation_of_link(secret)
    if not is_address_proven(row):
        return _confirm_address(request, row)
    if isinstance(request.user, User):
        return _join_with_account(request, secret, row, request.user)
    return _join_as_new(request, secret, row)


def _confirm_address(request: HttpRequest, row: Invitation) -> HttpResponse:
    """Mail a new link; the holder of the old link receives the new one only if invited."""
    sent = False
    if request.method == "POST":
        fresh = new_secret(INVITATION)
        inviter = str(row.invited_by or "An owner")
        sent = send_invitation(
            row.email, str(row.organization), inviter, invitation_link(fresh.text)
        )
        # Only now: without the e-mail, no one would have a working link.
        if sent:
            replace_link(row, fresh)
    context = {"invitation": row, "sent": sent, "failed": request.method == "POST" and not sent}
    return render(request, "web/invitation_confirm.html", context)


def _join_with_account(
    request: HttpRequest, secret: str, row: Invitation, user: User
) -> HttpResponse:
    if request.method == "POST":
        membership = accept_as_user(secret, user)
        request.session[SESSION_KEY] = membership.organization_id
        messages.success(request, f"You joined {row.organization}.")
        return redirect("home")
    context = {"invitation": row, "fits": user.email == row.email}
    return render(request, "web/invitation_accept.html", context)


def _join_as_new(request: HttpRequest, secret: str, row: Invitation) -> HttpResponse:
    form = JoinForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            user = accept_as_new(secret, form.cleaned_data["password"], form.cleaned_data["name"])
        except (ConflictError, InvalidInputError) as error:
            add_form_errors(form, error)
        else:
            start_session(request, user, str(row.organization_id))
            return redirect("home")
    context = {"form": form, "invitation": row, "sends_mail": settings.EMAIL_CONFIGURED}
    return render(request, "web/invitation_join.html", context, status=400 if form.errors else 200)


@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
@secret_page
@rate_limited("signup")
@public_page
def setup(request: HttpRequest, secret: str) -> HttpResponse:
    check_setup_link(secret)
    form = SetupForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            user = use_setup_link(secret, **form.cleaned_data)
        except InvalidInputError as error:
            add_form_errors(form, error)
        else:
            start_session(request, user, user.memberships.get().organization_id)
            return redirect("home")
    return render(request, "web/setup.html", {"form": form}, status=400 if form.errors else 200)
