"""What of a change has been in view, and the way to what has not."""

from PIL import Image, ImageDraw
from playwright.sync_api import expect

from tests.support.images import encode_png
from tests.support.rendered_world import RenderedWorld, ReviewPage

WINDOW = {"width": 1440, "height": 900}
# Three screenfuls apart, in a page as long as several screens.
PLACES = (100, 3_000, 6_000)


def long_page(*places: int) -> bytes:
    """Return a page with a square at each of these heights."""
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
    # What was seen stays so over a reload.
    page.visitor.page.reload()
    page.wait_until_painted()
    expect(line).not_to_contain_class("line--unseen")
    assert page.visitor.console_errors == []


def test_approving_a_build_names_what_was_not_in_view(world: RenderedWorld) -> None:
    page = open_page(world)
    page.press("Shift+B")
    expect(page.dialog).to_contain_text("Of 1 screenshot, something has not been in view here.")
