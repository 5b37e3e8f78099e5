"""From the first sign-in to the approved build, as a new reviewer does it."""

from playwright.sync_api import expect

from tests.support.personas import PASSWORD
from tests.support.rendered_world import RenderedWorld, ReviewPage, path_of, publish_changes
from tests.support.worlds import World

# What the page shows to a person who has never seen it.
FIRST_KEYS = ("a", "r", "s", "z", "d")


def test_a_new_reviewer_finds_decides_and_approves_a_build(world: RenderedWorld) -> None:
    build = publish_changes(world, 3)
    other = publish_changes(World(world.persona, "acme/other"), 2)
    visitor = world.open_window()
    visitor.sign_in(world.personas.bob.user.email, PASSWORD)
    visitor.page.get_by_role("link", name=world.name).first.click()
    visitor.page.locator(f'a[href^="{path_of(build)}"]').first.click()
    page = ReviewPage(visitor)
    page.wait_until_loaded()
    hint = visitor.page.locator(".key-hint")
    hint.wait_for()
    assert [key.lower() for key in hint.locator("kbd").all_inner_texts()[:5]] == list(FIRST_KEYS)
    expect(visitor.page.get_by_text("0 of 3 decided")).to_be_visible()
    page.press("a", "a")
    page.wait_until_saved()
    expect(visitor.page.get_by_text("2 of 3 decided")).to_be_visible()
    assert world.review_state(build) == "unreviewed"
    # The last one would approve the build, so the page asks.
    page.press("a")
    page.dialog.get_by_text("Version 2 becomes the baseline of main").wait_for()
    assert world.review_state(build) == "unreviewed"
    page.press("Enter")
    page.wait_until_saved()
    assert world.review_state(build) == "approved"
    page.dialog.get_by_text("Version 2 is the baseline of main now").wait_for()
    page.dialog.get_by_role("button", name="Review #").click()
    visitor.page.wait_for_url(lambda url: path_of(build) not in url)
    page.wait_until_loaded()
    assert world.review_state(other) == "unreviewed"
    # Chromium reports the response by which the server asked.
    assert [text for text in visitor.console_errors if "409" not in text] == []
