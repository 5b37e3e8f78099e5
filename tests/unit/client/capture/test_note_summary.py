"""The lines about the notes of a capture, and the note that needs all images."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import pytest

from visual_review.client.capture import Shot, Story, Variant, errors
from visual_review.client.capture.devtools import Session
from visual_review.client.capture.errors import PageError, Remedy
from visual_review.client.capture.notes import (
    BLOCKED_REQUEST,
    FAILED_REQUEST,
    KIND_LENGTH,
    KINDS,
    MOST_NOTES,
    TEXT_LENGTH,
    TRUNCATED,
    NoteText,
    ThemeComparison,
    count_kinds,
    count_refused_hosts,
    describe,
    describe_all,
    summarize_notes,
)
from visual_review.client.capture.results import Note
from visual_review.client.capture.traffic import FailedRequests

LIGHT, DARK = Variant("light", "phone"), Variant("dark", "phone")


@dataclass(frozen=True)
class NotedShot:
    story_id: str
    variant: Variant = LIGHT
    unstable: str = ""
    notes: tuple[NoteText, ...] = ()


def test_each_kind_is_one_line_with_a_count_an_example_and_the_way_out() -> None:
    missing = describe_all([Note(FAILED_REQUEST, "/logo.png (404)")])
    images = [
        NotedShot("b", notes=missing),
        NotedShot("a", DARK, notes=missing),
        NotedShot("a", notes=missing),
    ]
    (line,) = summarize_notes([*images, NotedShot("c")])
    assert line == (
        "3 screenshots sent requests that failed, such as a dark-phone: A request failed: "
        "/logo.png (404). Put the file into the Storybook (`staticDirs`), or mock the request in "
        "the story."
    )


def test_the_option_that_allows_refused_hosts_is_complete() -> None:
    fonts = describe_all([Note(BLOCKED_REQUEST, "https://fonts.example/a.woff2")])
    both = describe_all(
        [Note(BLOCKED_REQUEST, "http://cdn.example:8080/x.png, https://fonts.example/b.woff2")]
    )
    images = [
        NotedShot("a", notes=fonts),
        NotedShot("a", DARK, notes=fonts),
        NotedShot("b", notes=both),
    ]
    assert summarize_notes(images)[-1] == (
        "To allow these hosts, add --allow-host cdn.example:8080 --allow-host fonts.example "
        "(cdn.example:8080: 1 story, fonts.example: 2 stories)."
    )
    counts = count_refused_hosts((image.story_id, image.notes) for image in images)
    assert counts == {"cdn.example:8080": 1, "fonts.example": 2}


def test_unstable_screenshots_are_summarized_too() -> None:
    (line,) = summarize_notes([NotedShot("a", unstable="the page kept changing (div)")])
    assert line.startswith(
        "1 screenshot has a note: a light-phone: The page was still changing when the image was "
        "taken: the page kept changing (div). "
    )


def test_kinds_of_a_later_version_are_counted_as_well() -> None:
    later = (NoteText("later", "Something else."),)
    lines = summarize_notes(
        [NotedShot("a", notes=later), NotedShot("b", unstable="x", notes=later)]
    )
    assert [line.split(":")[0] for line in lines] == [
        "1 screenshot has a note",
        "2 screenshots have other notes, such as a light-phone",
    ]
    assert count_kinds(["b", "a", "b"]) == {"a": 1, "b": 2}


def test_texts_are_what_the_service_takes() -> None:
    many = [Note(TRUNCATED, f"{number} {'x' * 5000}") for number in range(50)]
    texts = describe_all([*many, *many])
    assert len(texts) == MOST_NOTES == len(set(texts))
    assert max(len(each.text) for each in texts) == TEXT_LENGTH
    assert max(map(len, KINDS)) <= KIND_LENGTH
    assert describe(Note("truncated", "{way_out} {detail}.")).count("{detail}") == 1


def compare(*shots: tuple[str, Variant, bytes | None]) -> ThemeComparison:
    comparison = ThemeComparison()
    for name, variant, png in shots:
        comparison.add(Shot(Story(name, name, name, "x"), variant, png, 1, 1))
    return comparison


def test_dark_screenshots_have_a_note_if_no_story_looks_different() -> None:
    equal = [(name, variant, name.encode()) for name in "abc" for variant in (LIGHT, DARK)]
    found = compare(*equal)
    assert [note.kind for note in found.add_note((), DARK)] == ["same-themes"]
    assert found.add_note((), LIGHT) == ()
    full = [NoteText("blank-image", "x")] * MOST_NOTES
    assert len(found.add_note(full, DARK)) == MOST_NOTES
    assert compare(*equal, ("d", LIGHT, b"1"), ("d", DARK, b"2")).add_note((), DARK) == ()


def test_few_stories_and_other_pairs_prove_nothing() -> None:
    few = [(name, variant, b"png") for name in "ab" for variant in (LIGHT, DARK)]
    tablet = Variant("dark", "tablet")
    assert compare(*few).add_note((), DARK) == ()
    assert compare(*few, ("c", LIGHT, b"png"), ("c", tablet, b"png")).add_note((), DARK) == ()
    assert compare(*few, ("c", LIGHT, b"png"), ("c", DARK, None)).add_note((), DARK) == ()


IN_ALL = "It was not tried in other variants."


@pytest.mark.parametrize(
    ("error", "message", "remedy"),
    [
        (
            errors.blocked(8),
            f"The story blocked the page for 8 seconds: a script did not return. {IN_ALL}",
            Remedy.ALONE,
        ),
        (
            errors.late(30, "playing"),
            "The story did not render within 30 seconds (it was in the phase 'playing'). " + IN_ALL,
            Remedy.ALONE,
        ),
        (
            errors.navigated("http://storybook.localhost/a", reloaded=False),
            "The story navigated away to http://storybook.localhost/a.",
            Remedy.NONE,
        ),
        (errors.navigated("x", reloaded=True), "The story reloaded the page.", Remedy.NONE),
        (errors.closed(), "The page closed itself.", Remedy.NONE),
        (errors.crashed(), "The page crashed while the story was shown.", Remedy.NEW_PAGE),
        (
            errors.browser_lost(),
            "The browser crashed while the story was shown.",
            Remedy.NEW_PAGE,
        ),
    ],
)
def test_a_lost_page_is_described_in_words(error: PageError, message: str, remedy: Remedy) -> None:
    assert (str(error), error.remedy) == (message, remedy)


class Events:
    """The events of one session, in the order of sending."""

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
