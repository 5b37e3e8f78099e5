"""The home page: builds waiting for a review."""

from typing import Final, NamedTuple

from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache

from visual_review.accounts.callers import Caller
from visual_review.accounts.models import Invitation, Membership, Organization
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.accounts.setup import first_owner_needed
from visual_review.builds.models import Baseline, Build
from visual_review.builds.queries import with_pull_requests
from visual_review.builds.waiting_builds import builds_to_review, with_facts
from visual_review.repositories.failed_jobs import has_failed_jobs
from visual_review.repositories.models import HostAccount, Repository
from visual_review.web.requests import caller_of, member_required, public_page

DOCS: Final = "/docs/"


class Step(NamedTuple):
    title: str
    url: str
    help_url: str
    is_done: bool


def list_steps(caller: Caller) -> list[Step]:
    """Return the first steps; none without the permissions, or once a build is approved."""
    if not caller.may(REPOS_MANAGE):
        return []
    organization = OuterRef("pk")
    repositories = Repository.objects.filter(organization=organization, removed_at=None)
    builds = Build.objects.filter(repository__organization=organization)
    approved = Baseline.objects.filter(
        product__repository__organization=organization, last_version__gte=1
    )
    others = Membership.objects.filter(organization=organization).exclude(user=caller.id)
    row = Organization.objects.annotate(
        connected=Exists(repositories),
        published=Exists(builds),
        approved=Exists(approved),
        has_host=Exists(HostAccount.objects.filter(organization=organization)),
        has_others=Exists(others),
        has_invited=Exists(Invitation.objects.filter(organization=organization)),
    ).get(pk=caller.organization_id)
    found = vars(row)
    if found["approved"]:
        return []
    return [
        _step(
            "Connect a repository",
            "repositories",
            "tutorial/first-review/",
            done=found["connected"],
        ),
        _step(
            "Publish a build from CI", "repositories", "how-to/publish/", done=found["published"]
        ),
        _step("Approve it: it becomes the baseline", "home", "how-to/review/", done=False),
        _step(
            "Connect your Git provider, for statuses and comments",
            "source_host",
            "how-to/connect-git-provider/",
            done=found["has_host"],
        ),
        _step(
            "Invite the people who review",
            "members",
            "how-to/accounts/",
            done=found["has_others"] or found["has_invited"],
        ),
    ]


def _step(title: str, page: str, help_path: str, *, done: bool) -> Step:
    return Step(title, reverse(page), f"{DOCS}{help_path}", done)


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
