"""The builds of a repository, one build, and the buttons that decide."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from visual_review.actions.decision_results import DecidedResult
from visual_review.builds.images.composites import composite_link
from visual_review.builds.models import Build
from visual_review.builds.notifying.messages import messages_of
from visual_review.builds.queries import (
    build_of,
    published_builds,
    pull_request_of,
    screenshot_of,
    with_pull_requests,
)
from visual_review.repositories.queries import product_of, repository_of
from visual_review.web.build_page import FILTERS, RULES, STORIES_A_PAGE, stories, story_ids
from visual_review.web.requests import attempt, caller_of, member

BUILDS_A_PAGE = 30
LOG_ENTRIES = 50
BUILD_ACTIONS = ("approve_build", "reject_build", "approve_all_screenshots")


@require_safe
@member
def builds(request: HttpRequest, repository_id: str) -> HttpResponse:
    repository = repository_of(caller_of(request).organization_id, repository_id)
    key = request.GET.get("product") or None
    if key is not None:
        product_of(repository, key)
    rows = published_builds(repository, key)
    return render(
        request,
        "web/builds.html",
        {
            "repository": repository,
            "products": repository.products.order_by("key"),
            "product": key,
            "page": Paginator(with_pull_requests(rows), BUILDS_A_PAGE).get_page(
                request.GET.get("page")
            ),
        },
    )


@require_safe
@member
def build(request: HttpRequest, build_id: str) -> HttpResponse:
    row = build_of(caller_of(request).organization_id, build_id)
    story = request.GET.get("story", "")
    # Whoever asks for a story wants to see it, whatever became of it.
    view = "all" if story else request.GET.get("show", "review")
    # An address somebody typed or kept may name a view that is gone.
    view = view if view in FILTERS else "review"
    page = Paginator(story_ids(row, view, story), STORIES_A_PAGE).get_page(request.GET.get("page"))
    return render(
        request,
        "web/build.html",
        {
            "build": row,
            "repository": row.repository,
            "pull_request": pull_request_of(row),
            "view": view,
            "story": story,
            "rule": RULES[row.baseline_rule],
            "page": page,
            "stories": stories(row, [str(story["story_id"]) for story in page], view),
            "log": row.review_log.select_related("screenshot").order_by("-id")[:LOG_ENTRIES],
            "told": messages_of(row),
            "here": request.get_full_path(),
        },
    )


@require_safe
@member
def composite(request: HttpRequest, screenshot_id: str) -> HttpResponse:
    """Leads to the picture, whose signed address ends; this one stays."""
    return redirect(composite_link(caller_of(request).organization_id, screenshot_id))


@require_POST
@member
def decide(request: HttpRequest, build_id: str) -> HttpResponse:
    row = build_of(caller_of(request).organization_id, build_id)
    wish = request.POST.get("wish", "")
    if wish == "approve_story":
        payload = {"buildId": build_id, "storyId": request.POST.get("storyId", "")}
        result = attempt(request, "approve_story_screenshots", payload)
    elif wish in BUILD_ACTIONS:
        result = attempt(request, wish, {"buildId": build_id})
    else:
        result = None
        messages.error(request, "Choose what to do with the build.")
    _tell(request, result)
    return redirect(_back(request, row))


@require_POST
@member
def review(request: HttpRequest, screenshot_id: str) -> HttpResponse:
    shot = screenshot_of(caller_of(request).organization_id, screenshot_id)
    payload = {"screenshotId": screenshot_id, "state": request.POST.get("state", "")}
    comment = request.POST.get("comment", "").strip()
    # An empty field is no comment, and an approval without one clears an earlier rejection's.
    if comment:
        payload["comment"] = comment
    _tell(request, attempt(request, "review_screenshot", payload))
    # The mark brings the reader back to the screenshot just decided.
    return redirect(f"{_back(request, shot.build)}#{shot.id}")


def _tell(request: HttpRequest, result: DecidedResult | None) -> None:
    if result is None:
        return
    for warning in result.warnings:
        messages.warning(request, warning)
    if not result.finalized:
        messages.success(request, "Your decision was saved.")
        return
    removals = result.accepted_removals
    words = f" {removals} removed screenshots left it." if removals else ""
    messages.success(request, f"The build is approved and is now its branch's baseline.{words}")


def _back(request: HttpRequest, row: Build) -> str:
    """The view of the build the button stood on; never another page."""
    show, page = request.POST.get("show", ""), request.POST.get("page", "")
    address = reverse("build", args=[row.id])
    query = [f"show={show}"] if show in FILTERS else []
    query += [f"page={page}"] if page.isascii() and page.isdigit() else []
    return f"{address}?{'&'.join(query)}" if query else address
