"""The events of a build's page: how far the build has changed."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from visual_review.builds.cursors import cursor_of
from visual_review.builds.queries import build_of
from visual_review.web.json_responses import json_member_required
from visual_review.web.requests import caller_of
from visual_review.web.server_events import StreamReader, begin_stream


@require_safe
@json_member_required
def build_events(request: HttpRequest, build_id: str) -> HttpResponse:
    """Begin a stream of events, which the web process continues without a thread."""
    caller = caller_of(request)
    build = build_of(caller.organization_id, build_id)
    return begin_stream(StreamReader(caller.id, build.id, str(cursor_of(build.id))))
