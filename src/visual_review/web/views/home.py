"""The home page: builds waiting for a review."""

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache

from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.accounts.setup import first_owner_needed
from visual_review.builds.queries import with_pull_requests
from visual_review.builds.waiting_builds import builds_to_review, with_facts
from visual_review.repositories.failed_jobs import has_failed_jobs
from visual_review.web.first_steps import list_steps
from visual_review.web.requests import caller_of, member_required, public_page

MOST_BUILDS: Final = 50


@never_cache
@public_page
def home(request: HttpRequest) -> HttpResponse:
    if not request.user.is_authenticated and first_owner_needed():
        return render_not_set_up(request)
    response: HttpResponse = _waiting(request)
    return response


def render_not_set_up(request: HttpRequest) -> HttpResponse:
    """Explain the first step before the first owner exists: no one can sign in."""
    return render(request, "web/not_set_up.html")


@member_required
def _waiting(request: HttpRequest) -> HttpResponse:
    """Show the waiting builds of all repositories, builds waiting for the person first."""
    caller = caller_of(request)
    waiting = builds_to_review(caller.organization_id)
    rows = with_facts(waiting.select_related("repository__host_account"), caller.id)
    context = {
        "builds": with_pull_requests(rows)[:MOST_BUILDS],
        "count": waiting.count(),
        "steps": list_steps(caller),
        "has_failed_jobs": caller.may(REPOS_MANAGE) and has_failed_jobs(caller.organization_id),
    }
    return render(request, "web/waiting.html", context)
