"""The contact sheets of a build: many changes at a glance."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from visual_review.builds.images.contact_sheets import (
    contact_sheet_link,
    contact_sheets_of,
    count_sheets,
)
from visual_review.builds.queries import build_of
from visual_review.web.requests import caller_of, member_required

# Each takes the server a moment when it is opened for the first time.
SHEETS_PER_PAGE = 6


@require_safe
@member_required
def contact_sheets(request: HttpRequest, build_id: str) -> HttpResponse:
    build = build_of(caller_of(request).organization_id, build_id)
    page = Paginator(range(1, count_sheets(build) + 1), SHEETS_PER_PAGE).get_page(
        request.GET.get("page")
    )
    return render(
        request,
        "web/contact_sheets.html",
        {
            "build": build,
            "repository": build.repository,
            "page": page,
            "sheets": contact_sheets_of(build, list(page)),
        },
    )


@require_safe
@member_required
def contact_sheet(request: HttpRequest, build_id: str, number: int) -> HttpResponse:
    """Redirect to the image, whose signed URL expires; this URL does not."""
    return redirect(contact_sheet_link(caller_of(request).organization_id, build_id, number))
