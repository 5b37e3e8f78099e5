"""Search over everything visible to the person."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from visual_review.accounts.callers import Caller
from visual_review.accounts.members import members_of
from visual_review.builds.everything_search import (
    MOST_FOUND,
    search_builds,
    search_repositories,
    search_stories,
)
from visual_review.web.documentation import find_sections
from visual_review.web.page_context import AREAS
from visual_review.web.requests import caller_of, member_required

LONGEST: Final = 200
REPOSITORIES: Final = "Repositories"
BUILDS: Final = "Builds"
DOCUMENTATION: Final = "Documentation"
OPENED_AT_ONCE: Final = (REPOSITORIES, BUILDS)
# Pages without an entry in a menu of the header.
OTHER_PAGES: Final = (
    ("Your account and password", "account"),
    ("Connected apps and MCP clients", "apps"),
    ("Mail to you", "mail"),
    ("Connect a repository", "repositories"),
    ("Default capture settings", "repositories"),
    ("Retention and charges", "storage"),
    ("Webhooks, Slack and Teams", "channels"),
    ("Invite a member", "members"),
)


class Hit(NamedTuple):
    title: str
    detail: str
    url: str


class Hits(NamedTuple):
    """The results of one kind."""

    label: str
    hits: list[Hit]


@require_safe
@member_required
def search(request: HttpRequest) -> HttpResponse:
    text = request.GET.get("q", "").strip()[:LONGEST]
    found = [hits for hits in _search(caller_of(request), text) if hits.hits] if text else []
    # A number or hash means one thing, even if the documentation has it as an example.
    hits = [hit for each in found if each.label != DOCUMENTATION for hit in each.hits]
    if len(hits) == 1 and found[0].label in OPENED_AT_ONCE:
        return redirect(hits[0].url)
    return render(request, "web/search.html", {"text": text, "found": found, "most": MOST_FOUND})


def _search(caller: Caller, text: str) -> Iterator[Hits]:
    organization_id = caller.organization_id
    yield Hits(REPOSITORIES, list(_repositories(organization_id, text)))
    yield Hits(BUILDS, list(_builds(organization_id, text)))
    yield Hits("Stories", list(_stories(organization_id, text)))
    yield Hits("People", list(_people(organization_id, text)))
    yield Hits("Pages and settings", list(_pages(caller, text)))
    yield Hits(DOCUMENTATION, list(_documentation(text)))


def _repositories(organization_id: str, text: str) -> Iterator[Hit]:
    for row in search_repositories(organization_id, text):
        yield Hit(row.full_name, row.default_branch, reverse("repository", args=[row.pk]))


def _builds(organization_id: str, text: str) -> Iterator[Hit]:
    for build in search_builds(organization_id, text):
        title = vars(build)["pull_title"] or build.message or build.branch
        detail = f"{build.repository.full_name} #{build.number}, {build.branch}, {build.commit[:8]}"
        yield Hit(title, detail, reverse("build", args=[build.pk]))


def _stories(organization_id: str, text: str) -> Iterator[Hit]:
    for story in search_stories(organization_id, text):
        url = reverse("story", args=[story.repository_id, story.story_id])
        detail = f"{story.repository}, {story.story_id}"
        yield Hit(story.title or story.story_id, detail, f"{url}?product={story.product}")


def _people(organization_id: str, text: str) -> Iterator[Hit]:
    named = Q(user__name__icontains=text) | Q(user__email__icontains=text)
    for member in members_of(organization_id).filter(named)[:MOST_FOUND]:
        detail = f"{member.user.email}, {member.get_role_display().lower()}"
        yield Hit(str(member.user), detail, reverse("members"))


def _pages(caller: Caller, text: str) -> Iterator[Hit]:
    hidden = {area.name for area in AREAS if area.permission and not caller.may(area.permission)}
    titles = [*((area.label, area.name) for area in AREAS), *OTHER_PAGES]
    for title, name in titles:
        if text.casefold() in title.casefold() and name not in hidden:
            yield Hit(title, "", reverse(name))


def _documentation(text: str) -> Iterator[Hit]:
    for section in find_sections(text, MOST_FOUND):
        detail = section.page if section.page != section.title else ""
        yield Hit(section.title, detail, f"{reverse('documentation')}{section.url}")
