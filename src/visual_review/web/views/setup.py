"""The first owner, by the one-time link that the service printed."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from visual_review.accounts.setup import check_setup_link, use_setup_link
from visual_review.kernel.errors import InvalidInputError
from visual_review.web.forms.people import SetupForm
from visual_review.web.forms.problems import show_problems
from visual_review.web.limits import limited
from visual_review.web.requests import public
from visual_review.web.security import secret_page
from visual_review.web.sign_in_session import enter


@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
@secret_page
@limited("signup")
@public
def setup(request: HttpRequest, secret: str) -> HttpResponse:
    check_setup_link(secret)
    form = SetupForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            user = use_setup_link(secret, **form.cleaned_data)
        except InvalidInputError as error:
            show_problems(form, error)
        else:
            enter(request, user, user.memberships.get().organization_id)
            return redirect("home")
    return render(request, "web/setup.html", {"form": form}, status=400 if form.errors else 200)
