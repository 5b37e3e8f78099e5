"""A build's page without JavaScript: what it shows, and what its forms decide."""

import re
from html import unescape

import pytest
from django.test import Client

from tests.support.builds_in_review import (
    BuildInReview,
    build_with_a_change,
    build_with_each_state,
)
from tests.support.case import Case
from tests.support.pages import signed_in, text_of
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.builds.models import Build, Screenshot
from visual_review.builds.variants import Variant

_INPUT = re.compile(r'<input type="(?:hidden|checkbox)" name="(\w+)" value="([^"]*)"')


@pytest.fixture
def in_review(personas: Personas) -> BuildInReview:
    return build_with_each_state(personas.bob)


@pytest.fixture
def reviewer(personas: Personas) -> Client:
    return signed_in(personas.bob)


def plain(client: Client, build: Build, query: str = "") -> str:
    return " ".join(text_of(client, f"/builds/{build.id}/plain{query}").split())


def fields_of(form: str) -> dict[str, list[str]]:
    """Return the hidden fields and checkboxes of the last form in a page, as if all are ticked."""
    found: dict[str, list[str]] = {}
    for name, value in _INPUT.findall(form.rpartition("<form")[2]):
        found.setdefault(name, []).append(unescape(value))
    return found


def decide(client: Client, shot: Screenshot, state: str, **more: str) -> str:
    form = {"state": state, "place": shot.id, **more}
    response = client.post(f"/screenshots/{shot.id}/review", form, follow=True)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def test_failures_come_first_with_their_message_once(personas: Personas, reviewer: Client) -> None:
    world = World(personas.bob)
    matrix = (Variant("light", "phone"), Variant("dark", "phone"))
    build = world.publish({"a": "red", "x": "error", "y": "error"}, matrix=matrix)
    Screenshot.objects.filter(build=build, story_id="y").update(title="Knöpfe <b>")
    page = plain(reviewer, build)
    assert page.count("It threw.") == 1
    assert page.index("It threw.") < page.index('id="story-a"')
    assert "<bdi>Knöpfe &lt;b&gt;</bdi>" in page
    assert page.count('<li id="shot_') == 4
    assert 'id="story-x"' not in page


def test_many_failures_are_counted(personas: Personas, reviewer: Client) -> None:
    build = World(personas.bob).publish({f"s{number}": "error" for number in range(23)})
    page = plain(reviewer, build)
    assert page.count('<li id="shot_') == 20
    assert "and 3 more" in page


def test_every_image_has_its_size(reviewer: Client, in_review: BuildInReview) -> None:
    _, build = in_review
    page = plain(reviewer, build, "?show=all").partition("<main")[2]
    images = re.findall(r"<img [^>]*>", page)
    sized = [image for image in images if 'width="4" height="4"' in image]
    # The close-up is rendered only when it is opened.
    assert len(sized) == len(images) - 1 == 6


def test_an_unstable_screenshot_says_why(reviewer: Client, in_review: BuildInReview) -> None:
    world, build = in_review
    shots = Screenshot.objects.filter(pk=world.shot(build, "other").pk)
    assert "Unstable" not in plain(reviewer, build)
    note = {"kind": "blank", "text": "The <b>image</b> has one color."}
    shots.update(unstable="a <canvas> kept changing", notes=[note])
    page = plain(reviewer, build)
    assert page.count(">Unstable</span>") == 1
    assert "still changing when it was captured: a &lt;canvas&gt; kept changing" in page
    assert page.count(">1 note</span>") == 1
    assert "The &lt;b&gt;image&lt;/b&gt; has one color." in page


def test_a_message_is_shown_at_the_place_of_its_form(
    reviewer: Client, in_review: BuildInReview
) -> None:
    world, build = in_review
    shot = world.shot(build, "more")
    form = {"state": "rejected", "show": "all", "page": "1", "place": shot.id}
    response = reviewer.post(f"/screenshots/{shot.id}/review", form)
    url = f"/builds/{build.id}/plain?show=all&page=1"
    assert response["Location"] == f"{url}#{shot.id}"
    page = " ".join(text_of(reviewer, url).split())
    saved = page.index("Your decision was saved.")
    assert page.index(f'id="{shot.id}"') < saved < page.index(f'id="comment-{shot.id}"')
    # A place that the view does not show has its message at the top.
    page = decide(reviewer, world.shot(build, "other"), "rejected", show="open")
    assert page.index("Your decision was saved.") < page.index("<h1>")


def test_a_decision_is_cleared(reviewer: Client, in_review: BuildInReview) -> None:
    world, build = in_review
    shot = world.shot(build, "more")
    assert "Clear decision" not in plain(reviewer, build)
    assert "Clear decision" in decide(reviewer, shot, "rejected", comment="Too <i>wide")
    assert "Too &lt;i&gt;wide" in plain(reviewer, build)
    decide(reviewer, shot, "cleared")
    assert world.shot(build, "more").review_decision == ""
    assert "cleared" in plain(reviewer, build)


def test_a_story_is_rejected_with_one_button(reviewer: Client, in_review: BuildInReview) -> None:
    world, build = in_review
    form = {"operation": "reject_story", "storyId": "gone", "place": "story-gone"}
    page = reviewer.post(f"/builds/{build.id}/decide", form, follow=True).content.decode()
    assert "Your decision was saved." in page
    assert world.shot(build, "gone").review_decision == "rejected"


def test_the_last_decision_asks_before_it_approves_the_build(
    personas: Personas, reviewer: Client
) -> None:
    world, build = build_with_a_change(personas.bob)
    decide(reviewer, world.shot(build, "a"), "approved")
    last = world.shot(build, "c")
    asked = decide(reviewer, last, "approved")
    assert "Approve build #2?" in asked
    assert world.fresh(build).review_state == "unreviewed"
    done = reviewer.post(f"/screenshots/{last.id}/review", fields_of(asked), follow=True)
    assert "now the baseline of its branch" in done.content.decode()
    assert world.fresh(build).review_state == "approved"
    assert "Clear decision" not in plain(reviewer, build)
    assert "restore an earlier version" in plain(reviewer, build)


def test_approving_a_build_asks_about_rejections_of_others(
    personas: Personas, reviewer: Client, in_review: BuildInReview
) -> None:
    world, build = in_review
    decide(signed_in(personas.alice), world.shot(build, "more"), "rejected", comment="No <b>")
    url = f"/builds/{build.id}/decide"
    asked = " ".join(reviewer.post(url, {"operation": "approve_build"}).content.decode().split())
    assert "more</bdi>: rejected by Alice" in asked
    assert "No &lt;b&gt;" in asked
    assert "1 failed screenshot is accepted" in asked
    assert "1 removed screenshot leaves the baseline" in asked
    fields = fields_of(asked)
    assert fields["confirmed"] == ["override", "finalize"]
    unticked = {**fields, "confirmed": ["finalize"]}
    again = reviewer.post(url, unticked).content.decode()
    assert "rejected by Alice" in again
    # What the page adds to its form is not copied from the form before.
    assert fields_of(again)["organization_id"] == [personas.bob.organization.id]
    assert world.fresh(build).review_state == "unreviewed"
    page = reviewer.post(url, fields, follow=True).content.decode()
    assert "Removed screenshots accepted: 1. Failed screenshots accepted: 1." in page


def test_a_decision_that_was_not_seen_is_not_replaced_silently(
    personas: Personas, reviewer: Client, in_review: BuildInReview
) -> None:
    world, build = in_review
    shot = world.shot(build, "more")
    page = text_of(reviewer, f"/builds/{build.id}/plain")
    form = page[page.index(f'action="/screenshots/{shot.id}/review"') :]
    fields = fields_of("<form" + form[: form.index("</form>")])
    decide(signed_in(personas.alice), shot, "approved")
    asked = reviewer.post(f"/screenshots/{shot.id}/review", {**fields, "state": "rejected"})
    assert "Replace 1 decision?" in asked.content.decode()
    assert world.shot(build, "more").decided_by_name == "Alice"
    confirmed = fields_of(asked.content.decode())
    reviewer.post(f"/screenshots/{shot.id}/review", confirmed)
    assert world.shot(build, "more").decided_by_name == "Bob"


def test_the_same_form_sent_twice_is_one_decision(
    reviewer: Client, in_review: BuildInReview
) -> None:
    world, build = in_review
    shot = world.shot(build, "more")
    for _ in range(2):
        decide(reviewer, shot, "rejected", comment="Wrong", seen="0-0-x")
    assert shot.review_log.count() == 1


def test_a_build_without_a_comparison_says_so(
    case: Case, personas: Personas, reviewer: Client
) -> None:
    world = World(personas.bob)
    build = world.upload({"a": "red"})
    for status, sentence in {
        "uploading": "CI is still uploading",
        "processing": "Comparison in progress",
        "failed": "This build failed",
        "expired": "This build has expired",
    }.items():
        with case(status):
            Build.objects.filter(pk=build.pk).update(status=status, failure="Why <it> did")
            # Nothing that is pending can be decided.
            Screenshot.objects.filter(build=build).update(review_decision="")
            page = plain(reviewer, build)
            assert sentence in page
            assert "Why &lt;it&gt; did" in page
            assert "Approve" not in page


def test_pages_have_twenty_stories(personas: Personas, reviewer: Client) -> None:
    build = World(personas.bob).publish({f"s{number:02}": "red" for number in range(21)})
    assert plain(reviewer, build).count('class="card story"') == 20
    second = plain(reviewer, build, "?page=2")
    assert second.count('class="card story"') == 1
    assert "Page 2 of 2" in second


def test_large_numbers_are_readable(reviewer: Client, in_review: BuildInReview) -> None:
    _, build = in_review
    Build.objects.update(changed_count=123_456, unchanged_count=1_000_000)
    page = plain(reviewer, build)
    assert "123,456 changed" in page
    assert "1,000,000 unchanged" in page


def test_a_comment_that_is_too_long_is_refused_in_words(
    reviewer: Client, in_review: BuildInReview
) -> None:
    world, build = in_review
    shot = world.shot(build, "more")
    page = decide(reviewer, shot, "rejected", comment="<b>" + "x" * 99_997)
    assert "The comment has 100,000 characters, and at most 10,000 are possible." in page
    assert world.shot(build, "more").review_decision == ""
