"""The builds of a repository, close-ups of their changes, and the next build to review."""

from typing import Final, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from visual_review.accounts.permissions import BUILDS_REVIEW
from visual_review.builds.build_query import STATES, BuildQuery, filter_builds, parse_query
from visual_review.builds.images.composites import composite_link
from visual_review.builds.models import Build
from visual_review.builds.queries import build_of, published_builds, with_pull_requests
from visual_review.builds.threads.reading import with_open_threads
from visual_review.builds.waiting_builds import builds_to_review, next_build_to_review, with_facts
from visual_review.repositories.models import Repository
from visual_review.repositories.queries import repository_of
from visual_review.web.ci_setup import ci_setup_of
from visual_review.web.cursor_pages import read_page
from visual_review.web.json_responses import json_member_required, json_response
from visual_review.web.requests import caller_of, member_required

BUILDS_PER_PAGE: Final = 30
# Menus offer the branches and authors of so many builds.
RECENT_BUILDS: Final = 200
MOST_OFFERED: Final = 20


class FilterMenu(NamedTuple):
    """A menu for writing one filter into the line: each choice with its URL."""

    label: str
    chosen: str
    clear: str
    choices: list[tuple[str, str]]


@require_safe
@member_required
def builds(request: HttpRequest, repository_id: str) -> HttpResponse:
    caller = caller_of(request)
    repository = repository_of(caller.organization_id, repository_id)
    query = parse_query(request.GET.get("q", ""))
    rows = published_builds(repository, None).select_related("repository__host_account", "product")
    found = with_pull_requests(filter_builds(rows, query))
    page = read_page(
        request, with_open_threads(with_facts(found, caller.id)), ("-number",), BUILDS_PER_PAGE
    )
    is_empty = not page.rows and not repository.last_build_number
    context = {
        "repository": repository,
        # Only a page without builds shows how to publish one.
        "ci": ci_setup_of(repository) if is_empty else None,
        "query": query,
        "menus": [] if is_empty else list_menus(repository, query),
        "page": page,
    }
    return render(request, "web/build_list.html", context)


def list_menus(repository: Repository, query: BuildQuery) -> list[FilterMenu]:
    recent = list(
        published_builds(repository, None).values_list("branch", "author")[:RECENT_BUILDS]
    )
    products = list(repository.products.order_by("key").values_list("key", flat=True))
    offered = {
        "state": list(STATES),
        "branch": list(dict.fromkeys(branch for branch, _ in recent)),
        "author": list(dict.fromkeys(author for _, author in recent if author)),
        "product": products if len(products) > 1 else [],
    }
    return [_menu(query, name, values[:MOST_OFFERED]) for name, values in offered.items() if values]


def _menu(query: BuildQuery, name: str, values: list[str]) -> FilterMenu:
    choices = [(value, _url(query.having(name, value))) for value in values]
    chosen = query.filters.get(name, "")
    return FilterMenu(name, chosen, _url(query.having(name, "")) if chosen else "", choices)


def _url(query: BuildQuery) -> str:
    return f"?{urlencode({'q': str(query)})}"


@require_safe
@member_required
def composite(request: HttpRequest, screenshot_id: str) -> HttpResponse:
    """Redirect to the image: the image's signed URL expires, the URL of this view does not."""
    return redirect(composite_link(caller_of(request).organization_id, screenshot_id))


@require_safe
@json_member_required
def next_build(request: HttpRequest) -> HttpResponse:
    caller = caller_of(request)
    after_id = request.GET.get("after", "")
    after = build_of(caller.organization_id, after_id) if after_id else None
    rows = builds_to_review(caller.organization_id)
    if after is not None:
        rows = rows.exclude(pk=after.pk)
    if not caller.may(BUILDS_REVIEW):
        # Builds wait for people with the permission to decide.
        rows = rows.none()
    found = next_build_to_review(rows, after)
    return json_response(request, {"build": found and _describe(found), "waiting": rows.count()})


def _describe(build: Build) -> dict[str, object]:
    return {
        "url": reverse("build", args=[build.id]),
        "number": build.number,
        "repository": build.repository.full_name,
        "changes": build.changed_count + build.new_count + build.removed_count + build.failed_count,
    }
