"""The review page's JSON endpoints for decisions."""

from http import HTTPStatus
from typing import Any, Final

from django.db.models import Q, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST, require_safe

from visual_review.actions.decision_results import DecisionBatchResult
from visual_review.actions.internal.decisions import preview_result
from visual_review.builds.cursors import cursor_in, parse_cursor, with_cursors
from visual_review.builds.models import Build, DecisionBatch, ReviewEntry
from visual_review.builds.queries import BUILD_UNKNOWN, build_of, builds_of
from visual_review.builds.reviewing.approval import FinalizeNeededError
from visual_review.builds.reviewing.plan import OverrideNeededError, SelectedShot
from visual_review.builds.reviewing.requests import FINALIZE, OVERRIDE
from visual_review.builds.states import BuildApprovedError
from visual_review.kernel.errors import NotFoundError
from visual_review.web.build_facts import encode_build, format_time
from visual_review.web.deciders import name_decider
from visual_review.web.json_responses import json_member_required, json_response, read_json
from visual_review.web.requests import caller_of, run_action
from visual_review.web.review_rows import encode_rows

# More rows than this limit are loaded as fast with the changes or the whole index.
ROWS_AT_ONCE: Final = 500
CONFLICTS_SHOWN: Final = 50


@require_safe
@json_member_required
def approval_preview(request: HttpRequest, build_id: str) -> HttpResponse:
    """Return the effects of approving the build."""
    everything = request.GET.get("includeUnchanged") == "1"
    payload = {"buildId": build_id, "includeUnchanged": everything}
    return json_response(request, run_action(request, "preview_approval", payload).model_dump())


@require_POST
@json_member_required
def decide_screenshots(request: HttpRequest, build_id: str) -> HttpResponse:
    """Carry out a decision, or return the facts to be confirmed first."""
    payload = read_json(request)
    return _run(request, "decide_screenshots", build_id, payload, payload.get("seen"))


@require_POST
@json_member_required
def undo_decision(request: HttpRequest, build_id: str) -> HttpResponse:
    payload = read_json(request)
    # An undo is possible whatever the page has seen; ``seen`` is for the rows of the response.
    seen = payload.pop("seen", None)
    return _run(request, "undo_decision", build_id, payload, seen)


def _run(
    request: HttpRequest, action: str, build_id: str, payload: dict[str, Any], seen: object
) -> HttpResponse:
    try:
        result = run_action(request, action, payload | {"buildId": build_id})
    except FinalizeNeededError as error:
        preview = preview_result(error.preview).model_dump()
        return _conflict(request, error, needs=FINALIZE, preview=preview)
    except OverrideNeededError as error:
        conflicts = [_encode_conflict(shot) for shot in error.conflicts[:CONFLICTS_SHOWN]]
        count = len(error.conflicts)
        return _conflict(request, error, needs=OVERRIDE, conflicts=conflicts, conflictCount=count)
    except BuildApprovedError as error:
        build = build_of(caller_of(request).organization_id, build_id)
        return _conflict(request, error, restoreUrl=encode_build(build)["historyUrl"])
    return json_response(request, _encode_result(request, result, seen))


def _conflict(request: HttpRequest, error: Exception, **more: object) -> HttpResponse:
    return json_response(request, {"error": str(error), **more}, HTTPStatus.CONFLICT)


def _encode_conflict(shot: SelectedShot) -> dict[str, Any]:
    return {
        "screenshotId": shot.id,
        "decision": shot.review_decision,
        "by": name_decider(shot.decided_by_name, shot.decision_source, shot.decided_client),
        "at": format_time(shot.decided_at),
        "comment": shot.comment,
    }


def _encode_result(
    request: HttpRequest, result: DecisionBatchResult, seen: object
) -> dict[str, Any]:
    build = _decided_build(caller_of(request).organization_id, result.build_id)
    rows = encode_rows(build, _changed_ids(build, result.decision_id, seen))
    if len(rows["screenshots"]) > ROWS_AT_ONCE:
        rows = {"stories": [], "kinds": [], "people": [], "messages": [], "screenshots": None}
    values = result.model_dump()
    for name in ("buildId", "reviewState"):
        del values[name]
    return {**values, "cursor": str(cursor_in(build)), "build": encode_build(build), **rows}


def _decided_build(organization_id: str, build_id: str) -> Build:
    """Return the build, loaded with its branch's baseline, with the cursor of this moment.

    Read before the rows: changes meanwhile are sent again rather than missed.
    """
    rows = with_cursors(builds_of(organization_id)).filter(pk=build_id)
    found = rows.select_related("baseline", "superseded_by", "own_baseline").first()
    if found is None:
        raise NotFoundError(BUILD_UNKNOWN)
    return found


def _changed_ids(build: Build, decision_id: str, seen: object) -> QuerySet[ReviewEntry, str]:
    """Find screenshots changed by the decision, and by others since the page's old cursor."""
    batch = DecisionBatch.objects.filter(pk=decision_id)
    # A decision without entries has neither, and so no screenshots.
    first, last = Subquery(batch.values("first_entry")), Subquery(batch.values("last_entry"))
    wanted = Q(pk__gte=first, pk__lte=last)
    if isinstance(seen, str) and seen:
        wanted |= Q(pk__gt=parse_cursor(seen).entry)
    entries = ReviewEntry.objects.filter(wanted, build=build).exclude(screenshot=None)
    ids = entries.order_by().values_list("screenshot_id", flat=True)
    return ids.distinct()[: ROWS_AT_ONCE + 1]
