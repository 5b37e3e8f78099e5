"""Dynamic regions: set on the review page, and all of a repository's products in one list."""

from typing import Final

from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from visual_review.builds.models import Build, Screenshot
from visual_review.builds.queries import build_of
from visual_review.builds.states import COMPLETED
from visual_review.repositories.models import DynamicRegions
from visual_review.repositories.queries import repository_of
from visual_review.web.cursor_pages import read_page
from visual_review.web.json_responses import json_member_required, json_response, read_json
from visual_review.web.requests import caller_of, member_required, run_action

SETS_PER_PAGE: Final = 50


@require_POST
@json_member_required
def set_regions(request: HttpRequest, build_id: str) -> HttpResponse:
    """Replace the regions of a story variant in the build's product."""
    build = build_of(caller_of(request).organization_id, build_id)
    target = {"repoId": build.repository_id, "productKey": build.product.key}
    result = run_action(request, "set_dynamic_regions", read_json(request) | target)
    return json_response(request, result.model_dump())


@require_safe
@member_required
def regions(request: HttpRequest, repository_id: str) -> HttpResponse:
    repository = repository_of(caller_of(request).organization_id, repository_id)
    rows = DynamicRegions.objects.filter(product__repository=repository).annotate(
        # By the unique index of a build's screenshots: a search in all builds would be slow.
        build=Subquery(_newest_builds()),
        screenshot=Subquery(_screenshots_of_sets()),
    )
    order = ("product_id", "story_id", "theme", "device")
    page = read_page(request, rows.select_related("product"), order, SETS_PER_PAGE)
    return render(request, "web/regions.html", {"repository": repository, "page": page})


def _newest_builds() -> QuerySet[Build, str]:
    """Find the newest completed build of a set's product."""
    found = Build.objects.filter(product=OuterRef("product"), status=COMPLETED)
    return found.order_by("-pk").values_list("pk", flat=True)[:1]


def _screenshots_of_sets() -> QuerySet[Screenshot, str]:
    """Find the screenshot of a set of regions, in the build annotated to the set."""
    variant = {name: OuterRef(name) for name in ("story_id", "theme", "device")}
    found = Screenshot.objects.filter(build=OuterRef("build"), detection_only=False, **variant)
    return found.values_list("pk", flat=True)[:1]
