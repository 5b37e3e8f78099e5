"""Which story a failed request counts for."""

from collections.abc import Callable
from typing import Any, cast

from visual_review.client.capture.devtools import Session
from visual_review.client.capture.traffic import FailedRequests


class Events:
    """The events of one session, in the order in which a test sends them."""

    id = "1"

    def __init__(self) -> None:
        self._listeners: dict[str, Callable[[dict[str, Any]], None]] = {}
        self.requests = FailedRequests()
        self.requests.watch(cast("Session", self))

    def on(self, name: str, listener: Callable[[dict[str, Any]], None]) -> None:
        self._listeners[name] = listener

    def send(self, url: str, kind: str = "Image") -> None:
        event = {"requestId": url, "type": kind, "request": {"url": url}}
        self._listeners["Network.requestWillBeSent"](event)

    def fail(self, url: str, kind: str = "Image") -> None:
        event = {"requestId": url, "type": kind, "errorText": "net::ERR_FAILED"}
        self._listeners["Network.loadingFailed"](event)

    def details(self) -> list[str]:
        return [note.detail for note in self.requests.add_to(())]


def test_a_request_that_fails_after_its_story_counts_for_none() -> None:
    events = Events()
    events.requests.begin_story()
    events.send("/late.png")
    events.requests.begin_story()
    events.fail("/late.png")
    assert events.details() == []


def test_fonts_and_what_the_page_loads_count_for_all_stories() -> None:
    events = Events()
    events.requests.begin_loading()
    events.send("/all.css", "Stylesheet")
    events.requests.begin_story()
    events.fail("/all.css", "Stylesheet")
    events.send("/own.png")
    events.fail("/own.png")
    events.send("/own.woff2", "Font")
    events.fail("/own.woff2", "Font")
    failed = "(net::ERR_FAILED)"
    assert events.details() == [f"/all.css {failed}, /own.png {failed}, /own.woff2 {failed}"]
    events.requests.begin_story()
    assert events.details() == [f"/all.css {failed}, /own.woff2 {failed}"]
    events.requests.begin_loading()
    assert events.details() == []
