"""A repository's baselines: their contents and history, and restoring an earlier version."""

import re

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from visual_review.builds.baselines.contents import differences_of, find_entries
from visual_review.builds.models import Baseline
from visual_review.builds.queries import baseline_of, baselines_of
from visual_review.builds.retention.baselines import find_ends
from visual_review.repositories.queries import repository_of
from visual_review.web.cursor_pages import read_page
from visual_review.web.requests import caller_of, member_required, try_action

BASELINES_PER_PAGE = 50
VERSIONS_PER_PAGE = 50
ENTRIES_PER_PAGE = 60
# No version has more digits, and Python parses no more than 4300.
DIGITS = re.compile("[0-9]{1,9}")


@require_safe
@member_required
def baselines(request: HttpRequest, repository_id: str) -> HttpResponse:
    repository = repository_of(caller_of(request).organization_id, repository_id)
    order = ("product_id", "head_repository", "branch")
    page = read_page(request, baselines_of(repository), order, BASELINES_PER_PAGE)
    baselines = find_ends(repository, page.rows)
    context = {"repository": repository, "page": page, "baselines": baselines}
    return render(request, "web/baseline_list.html", context)


@require_safe
@member_required
def contents(request: HttpRequest, baseline_id: str) -> HttpResponse:
    """Show the current contents of the baseline."""
    baseline = baseline_of(caller_of(request).organization_id, baseline_id)
    text = request.GET.get("q", "").strip()
    order = ("story_id", "theme", "device")
    page = read_page(request, find_entries(baseline, text), order, ENTRIES_PER_PAGE)
    context = {**_head(baseline), "page": page, "text": text}
    return render(request, "web/baseline_contents.html", context)


@require_safe
@member_required
def history(request: HttpRequest, baseline_id: str) -> HttpResponse:
    baseline = baseline_of(caller_of(request).organization_id, baseline_id)
    versions = baseline.versions.select_related("build")
    page = read_page(request, versions, ("-sequence",), VERSIONS_PER_PAGE)
    return render(request, "web/baseline.html", {**_head(baseline), "page": page})


@require_safe
@member_required
def version(request: HttpRequest, baseline_id: str, number: str) -> HttpResponse:
    """Show how a version differs from the current one, before a restore."""
    baseline = baseline_of(caller_of(request).organization_id, baseline_id)
    sequence = int(number) if DIGITS.fullmatch(number) else 0
    difference = differences_of(baseline, sequence)
    found = baseline.versions.select_related("build").get(sequence=sequence)
    context = {**_head(baseline), "version": found, "difference": difference}
    return render(request, "web/baseline_version.html", context)


def _head(baseline: Baseline) -> dict[str, object]:
    repository = baseline.product.repository
    ((_, ends_at),) = find_ends(repository, [baseline])
    return {
        "repository": repository,
        "baseline": baseline,
        "ends_at": ends_at,
        "entries": baseline.entries.filter(to_version=None).count(),
    }


@require_POST
@member_required
def restore(request: HttpRequest, baseline_id: str) -> HttpResponse:
    version = request.POST.get("version", "")
    payload = {
        "baselineId": baseline_id,
        # Anything else becomes 0, which the action rejects with a message.
        "version": int(version) if DIGITS.fullmatch(version) else 0,
        "reason": request.POST.get("reason", "").strip(),
    }
    result = try_action(request, "restore_baseline", payload)
    if result is not None:
        messages.success(request, f"Version {version} of the baseline was restored.")
    return redirect("baseline", baseline_id)
