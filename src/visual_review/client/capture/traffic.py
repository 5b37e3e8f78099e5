"""The requests of a page: those without a response so far, and failed ones for its notes."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlsplit

from visual_review.client.capture.chromium import HOST
from visual_review.client.capture.devtools import Session
from visual_review.client.capture.notes import BLOCKED_REQUEST, FAILED_REQUEST
from visual_review.client.capture.results import Note

# These connections stay open by design, so waiting for their end is pointless.
ENDLESS = frozenset({"EventSource", "WebSocket", "Ping", "CSPViolationReport"})
MAX_URLS = 3
Request = tuple[str | None, str]
SHOWN_URLS: Final = 3
LONGEST_URL: Final = 200
# The name of a host that is not allowed never resolves.
REFUSED: Final = "net::ERR_NAME_NOT_RESOLVED"
ABORTED: Final = "net::ERR_ABORTED"
# Browsers request the icon on their own, and no story shows the icon.
FAVICON: Final = "/favicon.ico"
# After a failure, later stories on the page do not request the font again.
LASTING_TYPES: Final = frozenset({"Font"})
IGNORED_TYPES: Final = frozenset({"Ping", "Preflight", "CSPViolationReport"})


class Traffic:
    """Tracks all requests of the watched targets: a page and its frames."""

    def __init__(self) -> None:
        self.document_status: int | None = None
        # How many requests were sent.
        self.sent = 0
        self._pending: dict[Request, str] = {}
        self._missing: list[str] = []
        self._workers: set[str] = set()
        self._idle = asyncio.Event()
        self._idle.set()

    def watch(self, session: Session) -> None:
        """Follow the requests of ``session``, whose ``Network`` domain must be enabled."""
        session.on("Network.requestWillBeSent", lambda event: self._on_request(session, event))
        for name in ("Network.loadingFinished", "Network.loadingFailed"):
            session.on(name, lambda event: self._on_end(session, event))
        session.on("Network.responseReceived", self._on_response)

    @property
    def pending(self) -> list[str]:
        """The first few URLs without a response."""
        return sorted(self._pending.values())[:MAX_URLS]

    @property
    def missing(self) -> list[str]:
        """The first few URLs not found."""
        return self._missing

    def reset(self) -> None:
        """Ignore all requests so far."""
        # A pending request of an earlier story must not delay the next story.
        self._pending.clear()
        self._idle.set()

    def ignore_worker(self, url: str) -> None:
        """Forget the script of a worker, since only the worker hears when it has loaded."""
        self._workers.add(url)
        for request in [each for each, pending in self._pending.items() if pending == url]:
            self._end(request)

    async def wait_until_idle(self, seconds: float) -> None:
        """Return when all requests have a response, at the latest after ``seconds``."""
        try:
            async with asyncio.timeout(seconds):
                await self._idle.wait()
        except TimeoutError:
            return

    def _on_request(self, session: Session, event: dict[str, Any]) -> None:
        self.sent += 1
        url = event["request"]["url"]
        if event.get("type") not in ENDLESS and url not in self._workers:
            self._pending[session.id, event["requestId"]] = url
            self._idle.clear()

    def _on_end(self, session: Session, event: dict[str, Any]) -> None:
        self._end((session.id, event["requestId"]))

    def _end(self, request: Request) -> None:
        self._pending.pop(request, None)
        if not self._pending:
            self._idle.set()

    def _on_response(self, event: dict[str, Any]) -> None:
        status = event["response"]["status"]
        if event.get("type") == "Document" and self.document_status is None:
            self.document_status = status
        if status == HTTPStatus.NOT_FOUND and len(self._missing) < MAX_URLS:
            self._missing.append(event["response"]["url"])


@dataclass(slots=True)
class _Failures:
    """Reasons by URL."""

    failed: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)

    def add(self, url: str, reason: str) -> None:
        (self.refused if reason == REFUSED else self.failed).setdefault(url, reason)

    def merged_with(self, other: "_Failures") -> "_Failures":
        return _Failures(self.failed | other.failed, self.refused | other.refused)


class FailedRequests:
    """Failed requests of the story on the page, and of files shared by all stories of the page."""

    def __init__(self) -> None:
        self._urls: dict[tuple[str, str], str] = {}
        self._shared_urls: dict[tuple[str, str], str] = {}
        self._shared = _Failures()
        self._story = _Failures()
        self._loading = True
        # Of the whole page: the browser does not always repeat a failed request.
        self._reasons: dict[str, str] = {}

    def watch(self, session: Session) -> None:
        """Follow the requests of a page, a frame or a worker."""
        for name, listener in (
            ("requestWillBeSent", self._on_request),
            ("responseReceived", self._on_response),
            ("loadingFailed", self._on_failure),
            ("webSocketCreated", self._on_socket),
            ("webSocketFrameError", self._on_socket_error),
        ):
            session.on(f"Network.{name}", partial(listener, session.id or ""))

    def begin_loading(self) -> None:
        """Forget all: the page is loaded anew."""
        self._shared = _Failures()
        self._shared_urls.clear()
        self._reasons.clear()
        self.begin_story()
        self._loading = True

    def begin_story(self) -> None:
        """Forget the requests of the story before, also requests that have yet to fail."""
        self._story = _Failures()
        self._urls.clear()
        self._loading = False

    def add_to(self, notes: Iterable[Note]) -> tuple[Note, ...]:
        """Return the page's notes, and at most one for each kind of failure."""
        others = [note for note in notes if not self._explains(note)]
        found = self._shared.merged_with(self._story)
        kinds = ((FAILED_REQUEST, found.failed), (BLOCKED_REQUEST, found.refused))
        own = [Note(kind, _describe_requests(failures)) for kind, failures in kinds if failures]
        return tuple(dict.fromkeys((*own, *others)))

    def _explains(self, note: Note) -> bool:
        """Return whether a failed request, maybe of another story, explains the broken image."""
        url = shorten_url(note.detail.partition(" ")[0])
        if note.kind != FAILED_REQUEST or url not in self._reasons:
            return False
        self._story.add(url, self._reasons[url])
        return True

    def _on_request(self, session: str, event: Mapping[str, Any]) -> None:
        if event.get("type") in IGNORED_TYPES:
            return
        self._remember(session, event["requestId"], event["request"]["url"])

    def _on_socket(self, session: str, event: Mapping[str, Any]) -> None:
        self._remember(session, event["requestId"], event["url"])

    def _remember(self, session: str, request_id: str, url: str) -> None:
        (self._shared_urls if self._loading else self._urls)[session, request_id] = url

    def _on_response(self, session: str, event: Mapping[str, Any]) -> None:
        response = event["response"]
        # The story is meant to show a mocked error.
        if response["status"] >= HTTPStatus.BAD_REQUEST and not response.get("fromServiceWorker"):
            self._add(session, event, str(response["status"]))

    def _on_failure(self, session: str, event: Mapping[str, Any]) -> None:
        reason = event.get("errorText") or "it failed"
        # A request aborted by the page itself shows nothing.
        if reason != ABORTED and not event.get("canceled"):
            blocked = event.get("blockedReason")
            self._add(session, event, f"blocked: {blocked}" if blocked else reason)

    def _on_socket_error(self, session: str, event: Mapping[str, Any]) -> None:
        message = str(event.get("errorMessage", ""))
        self._add(session, event, REFUSED if REFUSED in message else message or "it failed")

    def _add(self, session: str, event: Mapping[str, Any], reason: str) -> None:
        key = session, event["requestId"]
        is_shared = key in self._shared_urls or event.get("type") in LASTING_TYPES
        url = self._shared_urls.get(key) or self._urls.get(key, "")
        if url and urlsplit(url).path != FAVICON:
            shown = shorten_url(url)
            self._reasons.setdefault(shown, reason)
            (self._shared if is_shared else self._story).add(shown, reason)


def shorten_url(url: str) -> str:
    """Return a URL of the Storybook as its path, and no URL longer than people read."""
    own = f"http://{HOST}"
    shown = url.removeprefix(own) if url.startswith(f"{own}/") else url
    return shown if len(shown) <= LONGEST_URL else f"{shown[: LONGEST_URL - 1]}…"


def _describe_requests(failures: Mapping[str, str]) -> str:
    # Requests fail in any order, but two runs should give the same note. A URL of each host comes
    # first, as the summary names the hosts.
    hosts = Counter[str]()
    ordered = []
    for url, reason in sorted(failures.items()):
        host = urlsplit(url).netloc
        ordered.append((hosts[host], url, reason))
        hosts[host] += 1
    shown = [
        url if reason == REFUSED else f"{url} ({reason})"
        for _, url, reason in sorted(ordered)[:SHOWN_URLS]
    ]
    more = len(failures) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
