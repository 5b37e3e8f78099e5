"""The home page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache

from visual_review.accounts.setup import first_owner_needed
from visual_review.web.requests import public_page, sign_in_required


@never_cache
@public_page
def home(request: HttpRequest) -> HttpResponse:
    if not request.user.is_authenticated and first_owner_needed():
        return render_not_set_up(request)
    response: HttpResponse = _repositories(request)
    return response


def render_not_set_up(request: HttpRequest) -> HttpResponse:
    """Say what to do before there is an owner: no one can sign in."""
    return render(request, "web/not_set_up.html")


@sign_in_required
def _repositories(_request: HttpRequest) -> HttpResponse:
    return redirect("repositories")
