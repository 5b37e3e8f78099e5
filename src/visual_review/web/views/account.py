"""The user's own account: name, password, organizations, personal data and deletion."""

from typing import Final

from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from visual_review.accounts.account_deletion import delete_account
from visual_review.accounts.users import rename
from visual_review.kernel.errors import ConflictError, ForbiddenError
from visual_review.web.forms.account import NameForm
from visual_review.web.limits import rate_limited
from visual_review.web.membership import memberships_of
from visual_review.web.personal_data import personal_data
from visual_review.web.reauthentication import confirmed
from visual_review.web.requests import sign_in_required, user_of

ELSEWHERE: Final = (
    "You signed in through a provider of one of your organizations. Sign in with your password to "
    "delete the account that the others know, too."
)


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
