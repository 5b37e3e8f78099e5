"""The next build waiting for the person's review."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from visual_review.accounts.permissions import BUILDS_REVIEW
from visual_review.builds.models import Build
from visual_review.builds.queries import build_of
from visual_review.builds.waiting_builds import builds_to_review, next_build_to_review
from visual_review.web.json_responses import json_member_required, json_response
from visual_review.web.requests import caller_of


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
