"""Two people review one build at the same time."""

from playwright.sync_api import expect

from tests.support.browser import OpenVisitor, wait_for
from tests.support.personas import Personas
from tests.support.published_changes import publish_changes
from tests.support.review_page import ReviewPage


def test_they_see_each_other(open_visitor: OpenVisitor, personas: Personas) -> None:
    reviewed = publish_changes(personas.alice, 4)
    alice, bob = (ReviewPage(open_visitor(each)) for each in (personas.alice, personas.bob))
    for each in (alice, bob):
        each.open(reviewed.path)
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
    story = reviewed.build.screenshots.get(pk=contested).story_id
    assert reviewed.decisions()[story] == "approved"


def test_a_decision_on_what_another_just_decided_is_asked(
    open_visitor: OpenVisitor, personas: Personas
) -> None:
    reviewed = publish_changes(personas.alice, 3)
    alice, bob = (ReviewPage(open_visitor(each)) for each in (personas.alice, personas.bob))
    # Her page hears nothing of what happens meanwhile.
    alice.visitor.page.route("**/changes.json*", lambda route: route.abort())
    alice.open(reviewed.path)
    bob.open(reviewed.path)
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
    story = reviewed.build.screenshots.get(pk=contested).story_id
    assert reviewed.decisions() == {story: "rejected"}
    alice.dialog.get_by_role("button", name="Keep").click()
    alice.wait_until_saved()
    assert reviewed.decisions() == {story: "rejected"}
