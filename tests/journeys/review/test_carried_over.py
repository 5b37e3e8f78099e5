"""The viewer says whose approval was carried over, and leads to it."""

import pytest

from tests.support.browser import NARROWEST
from tests.support.images import page
from tests.support.rendered_world import RenderedWorld, ReviewPage


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_viewer_leads_to_the_approval_that_was_carried_over(
    world: RenderedWorld, scheme: str
) -> None:
    before, after = page(600, 300), page(600, 300, "green", at=(400, 180))
    world.approve(world.publish({"card": before, "menu": before}))
    shown = {"card": after, "menu": after}
    first = world.publish(shown, "feature", target="main", number=1)
    world.approve(first)
    build = world.publish(shown, "other", target="main", number=2)
    visitor = world.open_window(world.personas.bob, color_scheme=scheme)
    review = ReviewPage(visitor)
    for width in (NARROWEST, 1440):
        visitor.page.set_viewport_size({"width": width, "height": 900})
        review.open(f"/builds/{build.id}?shot={world.shot(build, 'card').id}")
        visitor.page.locator(".stage__more > summary").click()
        visitor.page.get_by_text("Approved by Alice, carried over").first.wait_for()
    visitor.page.get_by_role("link", name="From #1 (build #2)").click()
    visitor.page.wait_for_url(f"**/builds/{first.id}#{world.shot(first, 'card').id}")
    assert visitor.console_errors == []
