"""A repository's baselines, their history, and going back to an earlier move."""

import re

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from visual_review.builds.queries import baseline_of, baselines_of
from visual_review.repositories.queries import repository_of
from visual_review.web.requests import attempt, caller_of, member

MOVES_A_PAGE = 50
# Longer numbers are no moves, and Python reads none of more than 4300 digits.
DIGITS = re.compile("[0-9]{1,12}")


@require_safe
@member
def baselines(request: HttpRequest, repository_id: str) -> HttpResponse:
    repository = repository_of(caller_of(request).organization_id, repository_id)
    rows = baselines_of(repository)
    return render(request, "web/baselines.html", {"repository": repository, "baselines": rows})


@require_safe
@member
def history(request: HttpRequest, baseline_id: str) -> HttpResponse:
    baseline = baseline_of(caller_of(request).organization_id, baseline_id)
    moves = baseline.moves.select_related("build").order_by("-sequence")
    return render(
        request,
        "web/baseline.html",
        {
            "repository": baseline.product.repository,
            "baseline": baseline,
            "page": Paginator(moves, MOVES_A_PAGE).get_page(request.GET.get("page")),
            "entries": baseline.entries.filter(to_move=None).count(),
        },
    )


@require_POST
@member
def restore(request: HttpRequest, baseline_id: str) -> HttpResponse:
    wanted = request.POST.get("move", "")
    payload = {
        "baselineId": baseline_id,
        # What is no number becomes 0, which the action refuses in words.
        "move": int(wanted) if DIGITS.fullmatch(wanted) else 0,
        "reason": request.POST.get("reason", "").strip(),
    }
    result = attempt(request, "restore_baseline", payload)
    if result is not None:
        messages.success(request, f"The baseline is again what it was after move {wanted}.")
    return redirect("baseline", baseline_id)
