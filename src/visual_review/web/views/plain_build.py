"""A build's page without JavaScript: it is read, and decided by forms."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote, urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from visual_review.actions.batch_results import DecisionBatchResult
from visual_review.builds.cursors import cursor_of
from visual_review.builds.models import Build
from visual_review.builds.queries import build_of, screenshot_of
from visual_review.builds.reviewing.approval_preview import FinalizeNeededError
from visual_review.builds.reviewing.decision_conflicts import OverrideNeededError, SelectedShot
from visual_review.kernel.errors import ConflictError, InvalidInputError
from visual_review.web.build_facts import describe_build
from visual_review.web.build_failures import load_failures
from visual_review.web.decision_forms import (
    complete_payload,
    read_build_form,
    read_screenshot_form,
    warn_of_rejected,
)
from visual_review.web.evidence import ShownEvidence
from visual_review.web.organization_switching import FORM_FIELD
from visual_review.web.placed_messages import place_messages
from visual_review.web.plain_build_page import (
    FILTERS,
    STORIES_PER_PAGE,
    find_stories,
    list_anchors,
    load_sections,
)
from visual_review.web.requests import caller_of, member_required, run_action

LOG_ENTRIES = 50
# Every form gets its own; an old one must not be sent along with it.
ADDED_TO_FORMS: Final = frozenset({"csrfmiddlewaretoken", FORM_FIELD})
NOTHING_CHANGED = "This was already decided that way, so nothing changed."


@require_safe
@member_required
def plain_build(request: HttpRequest, build_id: str) -> HttpResponse:
    row = build_of(caller_of(request).organization_id, build_id)
    # Before the screenshots: a decision made meanwhile counts as not seen.
    seen = cursor_of(row.id)
    story = request.GET.get("story", "")
    # A link to a story shows it in any state.
    view = "all" if story else request.GET.get("show", "review")
    # A typed or bookmarked URL may have a view that does not exist.
    view = view if view in FILTERS else "review"
    found = Paginator(find_stories(row, view, story), STORIES_PER_PAGE)
    page = found.get_page(request.GET.get("page"))
    sections = load_sections(row, page, view)
    placed = place_messages(messages.get_messages(request), list_anchors(sections))
    context = {
        **describe_build(row),
        "seen": seen,
        "view": view,
        "only_story": story,
        "page": page,
        "sections": sections,
        "failures": load_failures(row, story) if page.number == 1 and view != "unchanged" else (),
        "messages": placed.top,
        "placed": placed.at,
        "log": [
            (entry, ShownEvidence.of(entry.decision, entry.evidence))
            for entry in row.review_log.select_related("screenshot").order_by("-id")[:LOG_ENTRIES]
        ],
    }
    return render(request, "web/plain_build.html", context)


@require_POST
@member_required
def decide(request: HttpRequest, build_id: str) -> HttpResponse:
    row = build_of(caller_of(request).organization_id, build_id)
    try:
        payload = read_build_form(row, request.POST)
    except (ConflictError, InvalidInputError) as error:
        return _show_error(request, row, error)
    return _decide(request, row, payload)


@require_POST
@member_required
def review(request: HttpRequest, screenshot_id: str) -> HttpResponse:
    shot = screenshot_of(caller_of(request).organization_id, screenshot_id)
    return _decide(request, shot.build, read_screenshot_form(shot, request.POST))


def _decide(request: HttpRequest, row: Build, payload: Mapping[str, Any]) -> HttpResponse:
    complete = complete_payload(row, caller_of(request).id, payload, request.POST)
    try:
        result = run_action(request, "decide_screenshots", complete)
    except OverrideNeededError as error:
        return _ask(request, row, payload, error.conflicts)
    except FinalizeNeededError:
        return _ask(request, row, payload)
    # Someone who may not decide, or an id that does not exist, gets an error page.
    except (ConflictError, InvalidInputError) as error:
        return _show_error(request, row, error)
    _show_result(request, result, warn_of_rejected(row, request.POST))
    return _back(request, row)


def _ask(
    request: HttpRequest,
    row: Build,
    payload: Mapping[str, Any],
    conflicts: Sequence[SelectedShot] = (),
) -> HttpResponse:
    """Return the page that says what the decision would do, with a form that confirms it."""
    preview = None
    if payload.get("build") or not conflicts:
        everything = bool(payload.get("includeUnchanged"))
        asked = {"buildId": row.id, "includeUnchanged": everything}
        preview = run_action(request, "preview_approval", asked)
    context = {
        "build": row,
        "repository": row.repository,
        "decision": payload["decision"],
        "preview": preview,
        "conflicts": conflicts,
        "fields": [
            (name, value)
            for name, values in request.POST.lists()
            if name not in ADDED_TO_FORMS
            for value in values
        ],
        "back": _url_of_form(request, row),
    }
    return render(request, "web/confirm_decision.html", context)


def _show_result(request: HttpRequest, result: DecisionBatchResult, left_rejected: str) -> None:
    place = _place_of(request)
    for warning in filter(None, (*result.warnings, left_rejected)):
        messages.warning(request, warning, extra_tags=place)
    if result.finalized:
        removals, failures = result.accepted_removals, result.accepted_failures
        removals_text = f" Removed screenshots accepted: {removals}." if removals else ""
        failures_text = f" Failed screenshots accepted: {failures}." if failures else ""
        done = "The build was approved and is now the baseline of its branch."
        messages.success(request, f"{done}{removals_text}{failures_text}")
        return
    if not result.decided:
        messages.info(request, NOTHING_CHANGED, extra_tags=place)
        return
    several = f" It applies to {result.decided} screenshots." if result.decided > 1 else ""
    messages.success(request, f"Your decision was saved.{several}", extra_tags=place)


def _show_error(request: HttpRequest, row: Build, error: Exception) -> HttpResponse:
    messages.error(request, str(error), extra_tags=_place_of(request))
    return _back(request, row)


def _back(request: HttpRequest, row: Build) -> HttpResponse:
    """Redirect to the place of the form, where its message is shown."""
    return redirect(_url_of_form(request, row))


def _url_of_form(request: HttpRequest, row: Build) -> str:
    """Return the URL of the view that had the form; never another page."""
    show, page, story = (request.POST.get(name, "") for name in ("show", "page", "story"))
    query = [f"show={show}"] if show in FILTERS else []
    query += [f"page={page}"] if page.isascii() and page.isdigit() else []
    query += [urlencode({"story": story})] if story else []
    url = reverse("plain_build", args=[row.id]) + (f"?{'&'.join(query)}" if query else "")
    place = _place_of(request)
    return f"{url}#{quote(place)}" if place else url


def _place_of(request: HttpRequest) -> str:
    return request.POST.get("place", "")
