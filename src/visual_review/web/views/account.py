"""The user's own account: name, password, organizations."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from visual_review.accounts.users import rename
from visual_review.web.forms.account import NameForm
from visual_review.web.membership import memberships_of
from visual_review.web.requests import sign_in_required, user_of


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
