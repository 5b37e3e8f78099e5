"""Two people review a build at the same time and talk about a place of an image."""

import pytest
from playwright.sync_api import expect

from tests.support.accessibility import find_violations, prepare
from tests.support.browser import wait_for
from tests.support.images import page
from tests.support.personas import Persona
from tests.support.rendered_world import RenderedWorld, ReviewPage, path_of, publish_changes
from visual_review.builds.models import Build, Thread

WIDE = {"width": 1440, "height": 900}
NARROW = {"width": 360, "height": 740}


def changed_build(world: RenderedWorld) -> Build:
    world.approve(world.publish({"card": page(400, 300)}))
    return world.publish({"card": page(400, 300, "green")})


def open_review(
    world: RenderedWorld, person: Persona, build: Build, size: dict[str, int]
) -> ReviewPage:
    visitor = world.open_window(person, viewport=size)
    prepare(visitor.page.context)
    review = ReviewPage(visitor)
    review.open(f"/builds/{build.id}?shot={build.screenshots.get().pk}")
    review.wait_until_painted()
    return review


def say(review: ReviewPage, label: str, text: str) -> None:
    form = review.visitor.page.locator("form", has=review.visitor.page.get_by_label(label))
    form.get_by_label(label).fill(text)
    form.locator("button").first.click()


@pytest.mark.parametrize(
    "size", [WIDE, pytest.param(NARROW, marks=pytest.mark.deep)], ids=["1440", "360"]
)
def test_two_people_talk_about_a_place(world: RenderedWorld, size: dict[str, int]) -> None:
    build = changed_build(world)
    carol = open_review(world, world.personas.carol, build, size)
    bob = open_review(world, world.personas.bob, build, size)
    carol.press("Shift+C")
    panel = carol.visitor.page.locator("#comments")
    panel.get_by_label("Comment on this screenshot").fill("Is **this** green?")
    panel.get_by_role("button", name="Choose a place…").click()
    carol.press("Enter")
    panel.get_by_role("button", name="Comment", exact=True).click()
    expect(panel.locator(".comment__text strong")).to_have_text("this")
    place = Thread.objects.get(build=build).place
    assert 0 < place["x"] < 400
    assert 0 < place["y"] < 300
    # Bob, a reviewer, sees the place without loading anything again, and answers.
    page_ = bob.visitor.page
    pin = page_.locator("screenshot-viewer").get_by_role("button", name="Comment 1 by Carol")
    pin.click()
    thread = page_.locator("#comments .thread")
    expect(thread).to_contain_text("Is this green?")
    thread.get_by_role("button", name="Reply").click()
    say(bob, "Reply", "It is, @Carol")
    expect(panel.locator(".comment").nth(1)).to_contain_text("It is, @Carol")
    assert find_violations(page_) == []
    assert find_violations(carol.visitor.page) == []
    thread.get_by_role("button", name="Resolve").click()
    expect(panel.get_by_text("Resolved (1)")).to_be_visible()
    expect(pin).to_have_count(0)


def test_what_someone_types_stays_when_another_comments(world: RenderedWorld) -> None:
    build = changed_build(world)
    carol = open_review(world, world.personas.carol, build, WIDE)
    bob = open_review(world, world.personas.bob, build, WIDE)
    for review in (carol, bob):
        review.press("Shift+C")
    field = carol.visitor.page.locator("#comments").get_by_label("Comment on this screenshot")
    field.press_sequentially("I am still ")
    say(bob, "Comment on this screenshot", "<b>First</b> `a < b`")
    expect(carol.visitor.page.locator(".comment__text")).to_have_text("<b>First</b> a < b")
    field.press_sequentially("typing")
    expect(field).to_have_value("I am still typing")
    expect(field).to_be_focused()
    say(carol, "Comment on this screenshot", "I am still typing")
    expect(bob.visitor.page.locator(".thread")).to_have_count(2)


def test_a_comment_that_is_refused_is_kept_with_the_reason(world: RenderedWorld) -> None:
    build = changed_build(world)
    carol = open_review(world, world.personas.carol, build, WIDE)
    carol.press("Shift+C")
    panel = carol.visitor.page.locator("#comments")
    say(carol, "Comment on this screenshot", "a" * 100_000)
    expect(panel.get_by_role("alert")).to_contain_text("100,000 characters, and at most 10,000")
    expect(panel.get_by_label("Comment on this screenshot")).to_have_value("a" * 100_000)
    say(carol, "Comment on this screenshot", "Short, @Mallory")
    carol.expect_announced("No member is called @Mallory: no one was notified by it.")


def test_they_see_each_other(world: RenderedWorld) -> None:
    build = publish_changes(world, 4)
    alice, bob = (
        ReviewPage(world.open_window(each)) for each in (world.personas.alice, world.personas.bob)
    )
    for each in (alice, bob):
        each.open(path_of(build))
    contested = bob.current
    bob.reject("Too dark")
    bob.wait_until_saved()
    wait_for(
        "Alice sees Bob's decision", lambda: "Rejected by Bob" in alice.decision_bar.inner_text()
    )
    assert alice.current == contested
    # Alice has seen Bob's decision, so she may replace it.
    alice.press("a")
    alice.wait_until_saved()
    story = build.screenshots.get(pk=contested).story_id
    assert world.decisions(build)[story] == "approved"


def test_a_decision_on_what_another_just_decided_is_asked(world: RenderedWorld) -> None:
    build = publish_changes(world, 3)
    alice, bob = (
        ReviewPage(world.open_window(each)) for each in (world.personas.alice, world.personas.bob)
    )
    # Alice's page hears nothing of later events.
    alice.visitor.page.route("**/changes.json*", lambda route: route.abort())
    alice.open(path_of(build))
    bob.open(path_of(build))
    contested = bob.current
    bob.reject("Too dark")
    bob.wait_until_saved()
    alice.press("a")
    alice.dialog.wait_for()
    assert "Bob rejected this" in alice.dialog.inner_text()
    assert "Too dark" in alice.dialog.inner_text()
    # The dialog shows its subject, behind and inside; Enter would change nothing.
    assert alice.current == contested
    expect(alice.dialog.get_by_role("img")).to_have_count(2)
    expect(alice.dialog.get_by_role("button", name="Keep Bob")).to_be_focused()
    story = build.screenshots.get(pk=contested).story_id
    assert world.decisions(build) == {story: "rejected"}
    alice.dialog.get_by_role("button", name="Keep").click()
    alice.wait_until_saved()
    assert world.decisions(build) == {story: "rejected"}
