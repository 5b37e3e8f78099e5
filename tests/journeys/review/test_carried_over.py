"""The viewer says whose approval was carried over, and leads to it."""

import pytest

from tests.support.browser import NARROWEST, OpenVisitor
from tests.support.personas import Personas
from tests.support.published_changes import publish_carried_over
from tests.support.review_page import ReviewPage
from tests.support.worlds import World


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_viewer_leads_to_the_approval_that_was_carried_over(
    open_visitor: OpenVisitor, personas: Personas, scheme: str
) -> None:
    world = World(personas.alice, f"acme/carried-{scheme}")
    first, build = publish_carried_over(world)
    visitor = open_visitor(personas.bob, color_scheme=scheme)
    review = ReviewPage(visitor)
    for width in (NARROWEST, 1440):
        visitor.page.set_viewport_size({"width": width, "height": 900})
        review.open(f"/builds/{build.id}?shot={world.shot(build, 'card').id}")
        visitor.page.locator(".stage__more > summary").click()
        visitor.page.get_by_text("Approved by Alice, carried over").first.wait_for()
    visitor.page.get_by_role("link", name="From #1 (build #2)").click()
    visitor.page.wait_for_url(f"**/builds/{first.id}#{world.shot(first, 'card').id}")
    assert visitor.console_errors == []
