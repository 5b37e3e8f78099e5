"""The first page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from visual_review.web.requests import signed_in


@signed_in
def home(_request: HttpRequest) -> HttpResponse:
    return redirect("repositories")
