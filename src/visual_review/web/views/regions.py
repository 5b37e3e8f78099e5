"""Dynamic regions: set on the review page, and all of a repository's products in one list."""

from typing import Any, Final

from django.core.paginator import Paginator
from django.db.models import OuterRef, Subquery
from django.db.models.functions import JSONObject
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from visual_review.builds.models import Screenshot
from visual_review.builds.queries import build_of
from visual_review.repositories.models import DynamicRegions
from visual_review.repositories.queries import repository_of
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
        latest=Subquery(_latest_screenshots())
    )
    ordered = rows.select_related("product").order_by("product_id", "story_id", "theme", "device")
    page = Paginator(ordered, SETS_PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "web/regions.html", {"repository": repository, "page": page})


def _latest_screenshots() -> Any:  # noqa: ANN401 - A query set of values has no short type.
    """Find the newest screenshot of a set's story and variant, on which the set is changed."""
    found = Screenshot.objects.filter(
        build__product=OuterRef("product"),
        story_id=OuterRef("story_id"),
        theme=OuterRef("theme"),
        device=OuterRef("device"),
        detection_only=False,
    )
    return found.order_by("-pk").values(shown=JSONObject(id="pk", build="build_id"))[:1]
