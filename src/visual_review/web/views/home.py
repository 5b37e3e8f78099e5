"""The home page, the first steps, the person's organizations, and the page of all components."""

from typing import Final, NamedTuple

from django.contrib import messages
from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from visual_review.accounts.callers import Caller
from visual_review.accounts.further_organizations import (
    check_creation_allowed,
    create_own_organization,
)
from visual_review.accounts.models import Invitation, Membership, Organization
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.accounts.setup import first_owner_needed
from visual_review.builds.models import Baseline, Build
from visual_review.builds.queries import with_pull_requests
from visual_review.builds.waiting_builds import builds_to_review, with_facts
from visual_review.kernel.errors import InvalidInputError, NotFoundError
from visual_review.repositories.failed_jobs import has_failed_jobs
from visual_review.repositories.models import HostAccount, Repository
from visual_review.web.forms.people import OrganizationForm
from visual_review.web.forms.problems import add_form_errors
from visual_review.web.limits import rate_limited
from visual_review.web.membership import choose_organization, usable_organizations
from visual_review.web.requests import (
    caller_of,
    member_required,
    public_page,
    sign_in_required,
    user_of,
)

DOCS: Final = "/docs/"
MOST_BUILDS: Final = 50


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


@require_safe
@sign_in_required
def components(request: HttpRequest) -> HttpResponse:
    return render(request, "web/components.html")


@require_POST
@sign_in_required
def switch_organization(request: HttpRequest) -> HttpResponse:
    chosen = request.POST.get("organization", "")
    if chosen not in usable_organizations(request):
        # Respond to another organization's id as to a missing one.
        raise NotFoundError("You are not a member of an organization with this id.")
    choose_organization(request, chosen)
    following = request.POST.get("next", "")
    # Only a page of this service: the link comes with the request.
    if url_has_allowed_host_and_scheme(following, allowed_hosts=None):
        return redirect(following)
    return redirect("home")


@require_http_methods(["GET", "POST"])
@sign_in_required
@rate_limited("create_organization")
def create_organization(request: HttpRequest) -> HttpResponse:
    check_creation_allowed()
    form = OrganizationForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            created, is_new = create_own_organization(user_of(request), **form.cleaned_data)
        except InvalidInputError as error:
            add_form_errors(form, error)
        else:
            choose_organization(request, created.id)
            done = "was created" if is_new else "exists already"
            messages.success(request, f"{created} {done}. You are its owner.")
            return redirect("home")
    return render(
        request, "web/organization_new.html", {"form": form}, status=400 if form.errors else 200
    )
