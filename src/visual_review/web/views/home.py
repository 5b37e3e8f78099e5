"""The home page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from visual_review.web.requests import sign_in_required


@sign_in_required
def home(_request: HttpRequest) -> HttpResponse:
    return redirect("repositories")
