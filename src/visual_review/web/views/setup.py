"""Setup of the first owner, through the one-time link printed by the service."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from visual_review.accounts.setup import check_setup_link, use_setup_link
from visual_review.kernel.errors import InvalidInputError
from visual_review.web.forms.people import SetupForm
from visual_review.web.forms.problems import add_form_errors
from visual_review.web.limits import rate_limited
from visual_review.web.requests import public_page
from visual_review.web.security import secret_page
from visual_review.web.sign_in_session import start_session


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
