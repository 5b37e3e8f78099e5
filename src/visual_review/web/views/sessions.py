"""A person's own sessions: where they are signed in, and ending a session."""

from dataclasses import dataclass
from typing import Final

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from visual_review.accounts.models import Session
from visual_review.accounts.sessions import record_ended_session
from visual_review.kernel.clock import now
from visual_review.web.requests import sign_in_required, user_of
from visual_review.web.session_store import hash_session_key

# By a part of the browser's name for itself. Most name others, too, so the first one counts.
BROWSERS: Final = {
    "Edg": "Edge",
    "OPR": "Opera",
    "Firefox": "Firefox",
    "Chrome": "Chrome",
    "Safari": "Safari",
}
SYSTEMS: Final = {
    "Windows": "Windows",
    "Android": "Android",
    "iPhone": "iOS",
    "iPad": "iOS",
    "Mac OS": "macOS",
    "Linux": "Linux",
}


@dataclass(frozen=True)
class ShownSession:
    row: Session
    browser: str
    is_current: bool


@require_http_methods(["GET", "HEAD", "POST"])
@sign_in_required
def own_sessions(request: HttpRequest) -> HttpResponse:
    """List the sessions; a button ends one session, or all but the current one."""
    user = user_of(request)
    current = hash_session_key(request.session.session_key or "")
    rows = Session.objects.filter(user=user, expire_date__gt=now()).select_related(
        "identity__provider"
    )
    if request.method == "POST":
        chosen = request.POST.get("session", "")
        ended = rows.filter(pk=chosen) if chosen else rows.exclude(pk=current)
        messages.success(request, f"{_end(request, list(ended))} ended.")
        return redirect("own_sessions")
    shown = [
        ShownSession(row, describe_browser(row.browser), row.pk == current)
        for row in rows.order_by("-started_at")
    ]
    return render(request, "web/sessions.html", {"sessions": shown})


@transaction.atomic
def _end(request: HttpRequest, rows: list[Session]) -> str:
    for row in rows:
        after = {"browser": describe_browser(row.browser), "network": row.network}
        record_ended_session(user_of(request), after)
    Session.objects.filter(pk__in=[row.pk for row in rows]).delete()
    return "1 session" if len(rows) == 1 else f"{len(rows)} sessions"


def describe_browser(text: str) -> str:
    """Return for example "Firefox on Linux" for a User-Agent header."""
    browser = next((name for part, name in BROWSERS.items() if part in text), "A browser")
    system = next((name for part, name in SYSTEMS.items() if part in text), "")
    return f"{browser} on {system}" if system else browser
