"""The review page of a build, its JSON and its events."""

import hashlib
from importlib.metadata import version
from typing import Any, Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.shortcuts import redirect, render
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_POST, require_safe

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_REVIEW
from visual_review.builds.bidi_controls import show_bidi_controls
from visual_review.builds.cursors import Cursor, cursor_of, find_decided_since, parse_cursor
from visual_review.builds.models import Build, ReviewEntry
from visual_review.builds.queries import build_of
from visual_review.kernel.errors import InvalidInputError
from visual_review.web.build_facts import describe_build, encode_build, format_time
from visual_review.web.deciders import name_decider
from visual_review.web.evidence import ShownEvidence
from visual_review.web.json_responses import json_member_required, json_response
from visual_review.web.requests import caller_of, member_required, try_action
from visual_review.web.review_details import load_details
from visual_review.web.review_rows import (
    encode_differences,
    encode_groups,
    encode_rows,
    encode_unchanged,
)
from visual_review.web.security import own_images_only
from visual_review.web.server_events import StreamReader, begin_stream

DETAILS_AT_ONCE: Final = 60
# More rows than this limit are loaded as fast with the whole index.
CHANGES_AT_ONCE: Final = 2000
LOG_ENTRIES: Final = 50


@require_safe
@own_images_only
@member_required
def build_page(request: HttpRequest, build_id: str) -> HttpResponse:
    """Return the page without a screenshot: the page's script loads the screenshots."""
    caller = caller_of(request)
    build = build_of(caller.organization_id, build_id)
    context = {**describe_build(build), "reviewer_id": caller.id}
    return render(request, "web/build.html", context)


@require_POST
@member_required
def request_review(request: HttpRequest, build_id: str) -> HttpResponse:
    """Ask a member for a review, and show the build again."""
    payload = {"buildId": build_id, "reviewers": [request.POST.get("reviewer", "")]}
    asked = try_action(request, "request_review", payload)
    if asked is not None and asked.asked:
        messages.success(request, f"{', '.join(asked.asked)} is asked for a review.")
    elif asked is not None and asked.unknown:
        messages.error(request, "This person is not a member any more. Choose another member.")
    elif asked is not None:
        messages.info(request, "This member is asked for a review already.")
    return redirect("build", build_id)


@require_safe
@json_member_required
def build_index(request: HttpRequest, build_id: str) -> HttpResponse:
    """Return all changed screenshots, or with ``?part=unchanged`` only the unchanged ones."""
    caller = caller_of(request)
    build = build_of(caller.organization_id, build_id)
    # Before the rows: changes meanwhile are sent again rather than missed.
    cursor = cursor_of(build.id)
    is_rest = request.GET.get("part") == "unchanged"
    etag = _etag(caller, cursor, "unchanged" if is_rest else "index")
    if request.headers.get("If-None-Match") == etag:
        return _revalidated(HttpResponseNotModified(), etag)
    rows = encode_unchanged(build) if is_rest else _encode_index(caller, build)
    return _revalidated(json_response(request, {"cursor": str(cursor), **rows}), etag)


@require_safe
@json_member_required
def screenshot_details(request: HttpRequest, build_id: str) -> HttpResponse:
    build = build_of(caller_of(request).organization_id, build_id)
    ids = [each for each in request.GET.get("ids", "").split(",") if each]
    if len(ids) > DETAILS_AT_ONCE:
        raise InvalidInputError(
            f"{len(ids)} screenshots were requested; at most {DETAILS_AT_ONCE} are sent at once."
        )
    return json_response(request, {"screenshots": load_details(build, ids)})


@require_safe
@json_member_required
def build_changes(request: HttpRequest, build_id: str) -> HttpResponse:
    """Return the decisions since the cursor, or a request to load the index again."""
    build = build_of(caller_of(request).organization_id, build_id)
    since, cursor = parse_cursor(request.GET.get("since", "")), cursor_of(build.id)
    changed = find_decided_since(build.id, since, CHANGES_AT_ONCE)
    # The revision of the cursor, since the cursor is older than the rows read now.
    if since.revision != cursor.revision or changed is None:
        return json_response(request, {"reload": True})
    value = {
        "cursor": str(cursor),
        "build": encode_build(build),
        "groups": encode_groups(build),
        **encode_rows(build, changed),
    }
    return json_response(request, value)


@require_safe
@json_member_required
def build_log(request: HttpRequest, build_id: str) -> HttpResponse:
    build = build_of(caller_of(request).organization_id, build_id)
    entries = ReviewEntry.objects.filter(build=build).order_by("-id")[:LOG_ENTRIES]
    return json_response(request, {"entries": [_encode_entry(entry) for entry in entries]})


def _encode_index(caller: Caller, build: Build) -> dict[str, Any]:
    return {
        "build": encode_build(build),
        "me": {
            "id": caller.id,
            "name": show_bidi_controls(caller.name),
            "mayReview": caller.may(BUILDS_REVIEW),
        },
        "variants": [f"{theme} {device}" for theme, device in build.matrix],
        "groups": encode_groups(build),
        "unchangedCount": build.unchanged_count,
        **encode_differences(build),
    }


def _etag(caller: Caller, cursor: Cursor, part: str) -> str:
    # The index depends on its reader, on the permissions of the role, and on the program's version.
    reader = f"{caller.id} {caller.name} {sorted(caller.permissions)}"
    shown = f"{part} {cursor} {reader} {version('visual-review')}"
    return f'W/"{hashlib.sha256(shown.encode()).hexdigest()[:32]}"'


def _revalidated(response: HttpResponse, etag: str) -> HttpResponse:
    """Let the browser keep the response, and ask for its validity each time."""
    response["ETag"] = etag
    patch_cache_control(response, private=True, no_cache=True)
    return response


def _encode_entry(entry: ReviewEntry) -> dict[str, Any]:
    evidence = ShownEvidence.of(entry.decision, entry.evidence)
    return {
        "id": entry.pk,
        "decision": entry.decision,
        "source": entry.source,
        "by": name_decider(entry.decided_by_name, entry.source, entry.client),
        "evidence": evidence._asdict() if evidence else None,
        "at": format_time(entry.decided_at),
        "comment": show_bidi_controls(entry.comment),
        "screenshotId": entry.screenshot_id,
        "storyId": show_bidi_controls(entry.story_id),
        "theme": entry.theme,
        "device": entry.device,
    }


@require_safe
@json_member_required
def build_events(request: HttpRequest, build_id: str) -> HttpResponse:
    """Begin a stream of events, which the web process continues without a thread."""
    caller = caller_of(request)
    build = build_of(caller.organization_id, build_id)
    return begin_stream(StreamReader(caller.id, build.id, str(cursor_of(build.id))))
