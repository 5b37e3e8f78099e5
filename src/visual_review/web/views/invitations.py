"""Opening an invitation: join with a new account, or with the one you are signed in with."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from visual_review.accounts.invitations import accept_as_new, accept_as_user, invitation_of_link
from visual_review.accounts.models import Invitation, User
from visual_review.kernel.errors import ConflictError, InvalidInputError
from visual_review.web.forms.people import JoinForm
from visual_review.web.forms.problems import show_problems
from visual_review.web.limits import limited
from visual_review.web.membership import SESSION_KEY
from visual_review.web.requests import public
from visual_review.web.security import secret_page
from visual_review.web.sign_in_session import enter


@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
@secret_page
@limited("signup")
@public
def invitation(request: HttpRequest, secret: str) -> HttpResponse:
    invited = invitation_of_link(secret)
    if isinstance(request.user, User):
        return _with_account(request, secret, invited, request.user)
    return _as_new(request, secret, invited)


def _with_account(
    request: HttpRequest, secret: str, invited: Invitation, user: User
) -> HttpResponse:
    if request.method == "POST":
        membership = accept_as_user(secret, user)
        request.session[SESSION_KEY] = membership.organization_id
        messages.success(request, f"You joined {invited.organization}.")
        return redirect("home")
    context = {"invitation": invited, "fits": user.email == invited.email}
    return render(request, "web/invitation_accept.html", context)


def _as_new(request: HttpRequest, secret: str, invited: Invitation) -> HttpResponse:
    form = JoinForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            user = accept_as_new(secret, form.cleaned_data["password"], form.cleaned_data["name"])
        except (ConflictError, InvalidInputError) as error:
            show_problems(form, error)
        else:
            enter(request, user, str(invited.organization_id))
            return redirect("home")
    context = {"form": form, "invitation": invited}
    return render(request, "web/invitation_join.html", context, status=400 if form.errors else 200)
