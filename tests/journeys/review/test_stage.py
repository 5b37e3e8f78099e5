"""The place of the image: its bar, focus, keys, and the parts of a change seen so far."""

from collections.abc import Iterator

import pytest
from PIL import Image, ImageDraw
from playwright.sync_api import expect

from tests.support.browser import wait_for
from tests.support.images import encode_png
from tests.support.rendered_world import RenderedWorld, ReviewPage, publish_changes

TITLES = "viewer => [...viewer.shadowRoot.querySelectorAll('.pane:not([hidden]) .pane-name')].map(each => each.textContent)"
FOCUSED = "document.activeElement.shadowRoot?.activeElement?.ariaLabel ?? document.activeElement.textContent"


@pytest.fixture
def review(world: RenderedWorld) -> Iterator[ReviewPage]:
    page = world.review(publish_changes(world, 2), viewport={"width": 1440, "height": 900})
    page.wait_until_painted()
    yield page
    assert page.visitor.console_errors == []


def titles(review: ReviewPage) -> list[str]:
    found: list[str] = review.root.locator("screenshot-viewer").evaluate(TITLES)
    return found


def test_one_bar_is_above_the_image_at_every_width(review: ReviewPage) -> None:
    page = review.visitor.page
    for width, height, least in ((2560, 1400, 0.7), (1440, 900, 0.6), (820, 900, 0.5)):
        page.set_viewport_size({"width": width, "height": height})
        head = page.locator("section.stage").bounding_box()
        image = page.locator("screenshot-viewer .panes").bounding_box()
        assert head
        assert image
        assert image["y"] - head["y"] <= 48
        assert image["height"] >= least * height
        expect(page.locator(".navigator")).to_be_visible()
    page.set_viewport_size({"width": 360, "height": 780})
    page.locator(".line--story").first.click()
    image = page.locator("screenshot-viewer .panes").bounding_box()
    assert image
    assert image["height"] >= 0.6 * 780
    assert review.visitor.horizontal_overflow() == 0


def test_focus_mode_shows_nothing_but_the_image(review: ReviewPage) -> None:
    chrome = review.visitor.page.locator(".header, .build-bar, .navigator, .decision-bar")
    review.press("\\")
    for part in chrome.all():
        expect(part).to_be_hidden()
    # The keys are the same ones.
    before = review.current
    review.press("a")
    review.wait_until_left(before)
    review.press("Escape")
    expect(review.decision_bar).to_be_visible()
    review.press("\\")
    review.visitor.page.get_by_role("button", name="Show everything").click()
    expect(review.decision_bar).to_be_visible()


def test_before_is_in_the_place_of_after_as_long_as_a_key_or_a_button_is_held(
    review: ReviewPage,
) -> None:
    keyboard, mouse = review.visitor.page.keyboard, review.visitor.page.mouse
    keyboard.down("b")
    assert titles(review) == ["Before", "Before"]
    keyboard.up("b")
    assert titles(review) == ["Before", "After"]
    hold = review.visitor.page.get_by_role("button", name="Hold to see before")
    hold.hover()
    mouse.down()
    assert titles(review) == ["Before", "Before"]
    mouse.up()
    assert titles(review) == ["Before", "After"]


def test_the_toolbar_is_one_tab_stop_and_a_link_leads_to_the_decision(review: ReviewPage) -> None:
    page = review.visitor.page
    toolbar = page.get_by_role("toolbar", name="View of the screenshot")
    assert toolbar.locator("[tabindex='0']").count() == 1
    toolbar.locator("[tabindex='0']").focus()
    review.press("ArrowRight")
    assert page.evaluate(FOCUSED) == "Overlay"
    review.press("End")
    assert page.evaluate(FOCUSED) == "Next change"
    skip = page.get_by_role("button", name="Skip to the decision")
    skip.focus()
    review.press("Enter")
    expect(review.decision_bar.get_by_role("button", name="Approve:")).to_be_focused()


def test_the_image_is_reached_and_moved_by_keys(review: ReviewPage) -> None:
    viewer = review.root.locator("screenshot-viewer")
    viewer.evaluate("viewer => viewer.fitChange()")
    wait_for("it is enlarged", lambda: viewer.evaluate("viewer => viewer.state.zoom") >= 8)
    before, shown = viewer.evaluate("viewer => viewer.state.x"), review.current
    review.press("p", "ArrowRight")
    assert viewer.evaluate("viewer => viewer.state.x") > before
    assert review.current == shown


def test_the_menu_is_a_button_with_a_popup_for_keys(review: ReviewPage) -> None:
    page = review.visitor.page
    opener = review.decision_bar.get_by_role("button", name="More")
    opener.press("Enter")
    expect(page.get_by_role("menu", name="More")).to_be_visible()
    expect(page.get_by_role("menuitem").first).to_be_focused()
    review.press("End", "Escape")
    expect(page.get_by_role("menu", name="More")).to_be_hidden()
    expect(opener).to_be_focused()


def test_what_was_decided_and_what_is_shown_now_is_said(review: ReviewPage) -> None:
    review.press("a")
    review.expect_announced("Shown now: ")


def test_the_list_is_dragged_wider_and_stays_so(review: ReviewPage) -> None:
    page = review.visitor.page
    handle = page.get_by_role("separator", name="Width of the list")
    box, before = handle.bounding_box(), page.locator(".navigator").bounding_box()
    assert box
    assert before
    page.mouse.move(box["x"] + 4, 500)
    page.mouse.down()
    page.mouse.move(box["x"] + 104, 500)
    page.mouse.up()
    handle.focus()
    review.press("ArrowRight")
    page.reload()
    review.wait_until_painted()
    after = page.locator(".navigator").bounding_box()
    assert after
    assert after["width"] - before["width"] == pytest.approx(100 + 32, abs=8)


WINDOW = {"width": 1440, "height": 900}
# Three screenfuls apart, in a page as long as several screens.
PLACES = (100, 3_000, 6_000)


def long_page(*places: int) -> bytes:
    """Return a page with a square at each of the given heights."""
    image = Image.new("RGB", (1_000, 6_400), "white")
    brush = ImageDraw.Draw(image)
    for top in places:
        brush.rectangle((200, top, 500, top + 200), fill="navy")
    return encode_png(image)


def open_page(world: RenderedWorld) -> ReviewPage:
    world.approve(world.publish({"page": long_page()}))
    build = world.publish({"page": long_page(*PLACES)})
    page = world.review(build, viewport=WINDOW)
    page.wait_until_painted()
    return page


def test_e_goes_to_what_was_not_in_view_and_the_rest_is_counted(world: RenderedWorld) -> None:
    page = open_page(world)
    seen = page.root.locator(".change-seen")
    line = page.root.locator(".line--story")
    unseen = page.root.locator(".build-bar__unseen")
    expect(seen).to_have_text("1 of 3 parts seen")
    expect(line).to_contain_class("line--unseen")
    expect(unseen).to_have_text("1 not all in view")
    page.press("e")
    expect(seen).to_have_text("2 of 3 parts seen")
    page.press("e")
    expect(seen).to_have_text("3 of 3 parts seen")
    expect(line).not_to_contain_class("line--unseen")
    expect(unseen).to_be_hidden()
    # Seen parts stay seen over a reload.
    page.visitor.page.reload()
    page.wait_until_painted()
    expect(line).not_to_contain_class("line--unseen")
    assert page.visitor.console_errors == []


def test_approving_a_build_names_what_was_not_in_view(world: RenderedWorld) -> None:
    page = open_page(world)
    page.press("Shift+B")
    expect(page.dialog).to_contain_text("Of 1 screenshot, something has not been in view here.")
