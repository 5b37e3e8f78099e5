"""Two people review one build at the same time."""

from playwright.sync_api import expect

from tests.support.browser import wait_for
from tests.support.rendered_world import RenderedWorld, ReviewPage, path_of, publish_changes


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
    # She has seen it, so it is hers to replace.
    alice.press("a")
    alice.wait_until_saved()
    story = build.screenshots.get(pk=contested).story_id
    assert world.decisions(build)[story] == "approved"


def test_a_decision_on_what_another_just_decided_is_asked(world: RenderedWorld) -> None:
    build = publish_changes(world, 3)
    alice, bob = (
        ReviewPage(world.open_window(each)) for each in (world.personas.alice, world.personas.bob)
    )
    # Her page hears nothing of what happens meanwhile.
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
    # It shows what it is about, behind it and in it; Enter would change nothing.
    assert alice.current == contested
    expect(alice.dialog.get_by_role("img")).to_have_count(2)
    expect(alice.dialog.get_by_role("button", name="Keep Bob")).to_be_focused()
    story = build.screenshots.get(pk=contested).story_id
    assert world.decisions(build) == {story: "rejected"}
    alice.dialog.get_by_role("button", name="Keep").click()
    alice.wait_until_saved()
    assert world.decisions(build) == {story: "rejected"}
