"""The builds of a repository, one build, and its review buttons."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from visual_review.actions.decision_results import DecidedResult
from visual_review.builds.images.composites import composite_link
from visual_review.builds.models import Build
from visual_review.builds.queries import (
    build_of,
    published_builds,
    screenshot_of,
    with_pull_requests,
)
from visual_review.kernel.errors import NotFoundError
from visual_review.repositories.queries import product_of, repository_of
from visual_review.web.build_facts import describe_build
from visual_review.web.build_page import (
    FILTERS,
    STORIES_PER_PAGE,
    find_stories,
    load_sections,
)
from visual_review.web.requests import caller_of, member_required, try_action

BUILDS_PER_PAGE = 30
LOG_ENTRIES = 50
GROUP_CHANGED = (
    "Nothing was approved: the build was compared again since this page was loaded, and this group "
    "does not exist any more."
)
BUILD_ACTIONS = ("approve_build", "reject_build", "approve_all_screenshots")


@require_safe
@member_required
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
            "page": Paginator(with_pull_requests(rows), BUILDS_PER_PAGE).get_page(
                request.GET.get("page")
            ),
        },
    )


@require_safe
@member_required
def plain_build(request: HttpRequest, build_id: str) -> HttpResponse:
    row = build_of(caller_of(request).organization_id, build_id)
    story = request.GET.get("story", "")
    # A link to a story shows it in any state.
    view = "all" if story else request.GET.get("show", "review")
    # A typed or bookmarked URL may have a view that does not exist.
    view = view if view in FILTERS else "review"
    page = Paginator(find_stories(row, view, story), STORIES_PER_PAGE).get_page(
        request.GET.get("page")
    )
    return render(
        request,
        "web/plain_build.html",
        {
            **describe_build(row),
            "view": view,
            "story": story,
            "page": page,
            "sections": load_sections(row, page, view),
            "log": row.review_log.select_related("screenshot").order_by("-id")[:LOG_ENTRIES],
        },
    )


@require_safe
@member_required
def composite(request: HttpRequest, screenshot_id: str) -> HttpResponse:
    """Redirect to the image, whose signed URL expires; this URL does not."""
    return redirect(composite_link(caller_of(request).organization_id, screenshot_id))


@require_POST
@member_required
def decide(request: HttpRequest, build_id: str) -> HttpResponse:
    row = build_of(caller_of(request).organization_id, build_id)
    operation = request.POST.get("operation", "")
    if operation == "approve_group":
        result = _approve_group(request, build_id)
    elif operation == "approve_story":
        payload = {"buildId": build_id, "storyId": request.POST.get("storyId", "")}
        result = try_action(request, "approve_story_screenshots", payload)
    elif operation in BUILD_ACTIONS:
        result = try_action(request, operation, {"buildId": build_id})
    else:
        result = None
        messages.error(request, "Choose what to do with the build.")
    _show_result(request, result)
    return redirect(_build_url(request, row))


@require_POST
@member_required
def review(request: HttpRequest, screenshot_id: str) -> HttpResponse:
    shot = screenshot_of(caller_of(request).organization_id, screenshot_id)
    payload = {"screenshotId": screenshot_id, "state": request.POST.get("state", "")}
    comment = request.POST.get("comment", "").strip()
    # Omit an empty comment: an approval without one clears the comment of a rejection.
    if comment:
        payload["comment"] = comment
    _show_result(request, try_action(request, "review_screenshot", payload))
    # The fragment leads back to the screenshot just reviewed.
    return redirect(f"{_build_url(request, shot.build)}#{shot.id}")


def _approve_group(request: HttpRequest, build_id: str) -> DecidedResult | None:
    fields = ("groupId", "revision")
    payload = {"buildId": build_id} | {name: request.POST.get(name, "") for name in fields}
    try:
        result: DecidedResult | None = try_action(request, "approve_group", payload)
    except NotFoundError:
        # The build exists, so its groups are others by now.
        messages.error(request, GROUP_CHANGED)
        return None
    return result


def _show_result(request: HttpRequest, result: DecidedResult | None) -> None:
    if result is None:
        return
    for warning in result.warnings:
        messages.warning(request, warning)
    if not result.finalized:
        count = result.decided_screenshots
        several = f" It applies to {count} screenshots." if count > 1 else ""
        messages.success(request, f"Your decision was saved.{several}")
        return
    removals = result.accepted_removals
    removals_text = f" Removed screenshots accepted: {removals}." if removals else ""
    messages.success(
        request, f"The build was approved and is now the baseline of its branch.{removals_text}"
    )


def _build_url(request: HttpRequest, row: Build) -> str:
    """Return the URL of the view that had the button; never another page."""
    show, page = request.POST.get("show", ""), request.POST.get("page", "")
    url = reverse("plain_build", args=[row.id])
    query = [f"show={show}"] if show in FILTERS else []
    query += [f"page={page}"] if page.isascii() and page.isdigit() else []
    return f"{url}?{'&'.join(query)}" if query else url
