"""The final lines of publish."""

import io
from dataclasses import replace
from typing import Any

from rich.console import Console

from visual_review.cli.client.publish import format_job_summary
from visual_review.cli.client.publish_summary import (
    FIRST_BUILD,
    SHOWN_GROUPS,
    explain_first_build,
    list_groups,
    make_json_document,
    print_summary,
)
from visual_review.client.capture import Variant
from visual_review.client.capture.notes import NoteText
from visual_review.client.publishing import Outcome, Verdict
from visual_review.client.publishing.build_images import BuildContents, Entry
from visual_review.client.publishing.publish import SHOWN_NOTES
from visual_review.client.publishing.responses import Progress, read_plan, read_progress
from visual_review.client.transport.connection import INTERFACE
from visual_review.variants import DEVICES


def progress(*groups: tuple[str, int, int], **more: Any) -> Progress:  # noqa: ANN401 - JSON.
    """Return a server's response for the given groups: name, screenshots and remainders."""
    names = ("name", "screenshotCount", "remainderCount")
    body: dict[str, Any] = {
        "id": "build_1",
        "number": 1,
        "status": "completed",
        "reviewState": "unreviewed",
        "counts": {"changed": sum(group[1] for group in groups)},
        "url": "https://reviews.example.com/builds/build_1",
        "groupCount": len(groups),
        "groups": [dict(zip(names, group, strict=True)) for group in groups],
    }
    return read_progress({**body, **more})


def test_groups_are_named_with_their_remainders() -> None:
    shown = list_groups(progress(("text changed", 12, 1), ("icon vanished", 1, 0)))
    assert shown == [
        "13 changed screenshots in 2 groups:",
        "  12 alike: text changed; 1 with more changes",
    ]
    assert list_groups(progress(("moved", 2, 3)))[1] == "  2 alike: moved; 3 with more changes"


def test_what_the_branch_did_not_cause_is_named_last_be_it_one() -> None:
    own = {"name": "text changed", "screenshotCount": 2, "remainderCount": 0}
    other = {"name": "Not from this branch: unstable", "screenshotCount": 1, "remainderCount": 0}
    found = progress(groups=[{**other, "notFromBranch": True}, {**own, "notFromBranch": False}])
    assert list_groups(found)[1:] == [
        "  2 alike: text changed",
        "  1 Not from this branch: unstable",
    ]


def test_screenshots_that_changed_on_their_own_are_no_groups() -> None:
    assert list_groups(progress(("text changed", 1, 0), ("moved", 1, 0))) == []


def test_earlier_servers_have_no_groups() -> None:
    body = dict(progress().document)
    del body["groups"], body["groupCount"]
    assert list_groups(read_progress(body)) == []


def outcome(rule: str, verdict: Verdict = "review_needed", **more: str) -> Outcome:
    plan = read_plan(
        {
            "themes": ["light"],
            "devices": ["desktop"],
            "imageLimits": {"side": 10_000, "pixels": 10_000_000},
            "interface": {"version": INTERFACE, "oldestClient": INTERFACE},
            "viewports": {device: {"width": 100, "height": 100} for device in DEVICES},
            "baselineRule": rule,
            "stories": {},
            "renderers": {},
        }
    )
    return Outcome(verdict, plan, BuildContents((), {}, (), ()), progress(**more))


def test_after_a_first_build_the_summary_says_how_to_approve_it() -> None:
    assert "Approve build" in explain_first_build(outcome("none"))
    assert explain_first_build(outcome("own_branch")) == ""
    assert explain_first_build(outcome("none", "nothing_to_review")) == ""
    assert explain_first_build(outcome("none", reviewState="rejected")) == ""


def test_the_summary_says_how_long_it_took() -> None:
    file = io.StringIO()
    print_summary(outcome("none"), Console(file=file, width=10_000), 43.2)
    first, *_, last = file.getvalue().splitlines()
    assert first == "Build #1: review needed (took 43 s)"
    assert last == FIRST_BUILD


def test_many_groups_and_long_names_are_shortened() -> None:
    shown = list_groups(progress(*[("x" * 900, 2, 0)] * 30))
    assert len(shown) == SHOWN_GROUPS + 2
    assert max(map(len, shown)) < 250


def test_notes_of_the_capture_are_in_the_summaries_of_the_job() -> None:
    noted = (NoteText("page-error", "Error: <b>"),)
    entry = Entry("a", "A", Variant("light", "phone"), sha256="0" * 64, notes=noted)
    contents = BuildContents((entry,), {}, (), (), notes=["1 screenshot: <b>"] * 30)
    found = replace(outcome("own_branch"), contents=contents)
    assert make_json_document(found)["noteCounts"] == {"page-error": 1}
    text = format_job_summary(found, progress())
    assert text.count("<li><code>1 screenshot: &lt;b&gt;</code></li>") == SHOWN_NOTES
    assert "Notes of the capture" not in format_job_summary(outcome("own_branch"), progress())
