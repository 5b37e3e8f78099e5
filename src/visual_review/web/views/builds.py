"""The builds of a repository, and close-ups of their changes."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from visual_review.builds.images.composites import composite_link
from visual_review.builds.queries import (
    published_builds,
    with_pull_requests,
)
from visual_review.builds.threads.reading import with_open_threads
from visual_review.repositories.products import product_of
from visual_review.repositories.queries import repository_of
from visual_review.web.ci_setup import ci_setup_of
from visual_review.web.requests import caller_of, member_required

BUILDS_PER_PAGE = 30


@require_safe
@member_required
def builds(request: HttpRequest, repository_id: str) -> HttpResponse:
    repository = repository_of(caller_of(request).organization_id, repository_id)
    key = request.GET.get("product") or None
    if key is not None:
        product_of(repository, key)
    rows = published_builds(repository, key)
    page = Paginator(with_open_threads(with_pull_requests(rows)), BUILDS_PER_PAGE).get_page(
        request.GET.get("page")
    )
    return render(
        request,
        "web/builds.html",
        {
            "repository": repository,
            # Only a page without builds shows how to publish one.
            "ci": None if page.object_list else ci_setup_of(repository),
            "products": repository.products.order_by("key"),
            "product": key,
            "page": page,
        },
    )


@require_safe
@member_required
def composite(request: HttpRequest, screenshot_id: str) -> HttpResponse:
    """Redirect to the image, whose signed URL expires; this URL does not."""
    return redirect(composite_link(caller_of(request).organization_id, screenshot_id))
