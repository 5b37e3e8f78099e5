"""A repository's baselines, their history, and restoring an earlier version."""

import re

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from visual_review.builds.queries import baseline_of, baselines_of
from visual_review.repositories.queries import repository_of
from visual_review.web.cursor_pages import read_page
from visual_review.web.requests import caller_of, member_required, try_action

VERSIONS_PER_PAGE = 50
# No version has more digits, and Python parses no more than 4300.
DIGITS = re.compile("[0-9]{1,12}")


@require_safe
@member_required
def baselines(request: HttpRequest, repository_id: str) -> HttpResponse:
    repository = repository_of(caller_of(request).organization_id, repository_id)
    rows = baselines_of(repository)
    return render(request, "web/baselines.html", {"repository": repository, "baselines": rows})


@require_safe
@member_required
def history(request: HttpRequest, baseline_id: str) -> HttpResponse:
    baseline = baseline_of(caller_of(request).organization_id, baseline_id)
    versions = baseline.moves.select_related("build")
    return render(
        request,
        "web/baseline.html",
        {
            "repository": baseline.product.repository,
            "baseline": baseline,
            "page": read_page(request, versions, ("-sequence",), VERSIONS_PER_PAGE),
            "entries": baseline.entries.filter(to_move=None).count(),
        },
    )


@require_POST
@member_required
def restore(request: HttpRequest, baseline_id: str) -> HttpResponse:
    version = request.POST.get("move", "")
    payload = {
        "baselineId": baseline_id,
        # Anything else becomes 0, which the action rejects with a message.
        "move": int(version) if DIGITS.fullmatch(version) else 0,
        "reason": request.POST.get("reason", "").strip(),
    }
    result = try_action(request, "restore_baseline", payload)
    if result is not None:
        messages.success(request, f"Version {version} of the baseline was restored.")
    return redirect("baseline", baseline_id)
