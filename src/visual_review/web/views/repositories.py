"""Repositories of the organization."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from visual_review.web.requests import member, run


@member
def repositories(request: HttpRequest) -> HttpResponse:
    result = run(request, "list_repos", {})
    return render(request, "web/repositories.html", {"repositories": result.repos})
