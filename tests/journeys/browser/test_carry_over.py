"""Carried-over approvals in a real browser: whose they were, and the repository's setting."""

import os
from pathlib import Path

from tests.support.browser import NARROWEST, OpenVisitor, Visitor
from tests.support.images import ImageWorld, page
from tests.support.personas import Personas
from visual_review.builds.models import Build

# A folder to which images of the pages are written, to look at them.
LOOK = os.environ.get("LOOK_AT_PAGES")
WIDTHS = (1440, NARROWEST)


def publish_carried_over(world: ImageWorld) -> tuple[Build, Build]:
    """Publish a build of #1, which is approved, and one of #2 that shows the same."""
    before, after = page(600, 300), page(600, 300, "green", at=(400, 180))
    world.act("approve_build", buildId=world.show({"card": before, "menu": before}).id)
    shown = {"card": after, "menu": after}
    first = world.show(shown, "feature", target="main", number=1)
    world.act("approve_build", buildId=first.id)
    return first, world.show(shown, "other", target="main", number=2)


def look(visitor: Visitor, name: str) -> None:
    if LOOK:
        visitor.page.wait_for_timeout(500)
        visitor.page.screenshot(path=Path(LOOK) / f"{name}.png", full_page=True)


def test_the_viewer_leads_to_the_approval_that_was_carried_over(
    open_visitor: OpenVisitor, personas: Personas
) -> None:
    world = ImageWorld(personas.alice)
    first, build = publish_carried_over(world)
    for scheme in ("light", "dark"):
        visitor = open_visitor(personas.bob, color_scheme=scheme)
        for width in WIDTHS:
            visitor.page.set_viewport_size({"width": width, "height": 900})
            visitor.open(f"/builds/{build.id}/plain")
            assert visitor.horizontal_overflow() == 0
            look(visitor, f"plain-{scheme}-{width}")
        for width in (NARROWEST, 1440):
            visitor.page.set_viewport_size({"width": width, "height": 900})
            visitor.open(f"/builds/{build.id}?shot={world.shot(build, 'card').id}")
            visitor.page.locator(".stage__more summary").click()
            visitor.page.get_by_text("Approved by Alice, carried over").first.wait_for()
            look(visitor, f"viewer-{scheme}-{width}")
    visitor.page.get_by_role("link", name="From #1 (build #2)").click()
    visitor.page.wait_for_url(f"**/builds/{first.id}#{world.shot(first, 'card').id}")
    assert visitor.console_errors == []


def test_the_setting_is_changed_on_the_repositorys_page(
    open_visitor: OpenVisitor, personas: Personas
) -> None:
    world = ImageWorld(personas.alice)
    for scheme in ("light", "dark"):
        visitor = open_visitor(personas.alice, color_scheme=scheme)
        for width in WIDTHS:
            visitor.page.set_viewport_size({"width": width, "height": 900})
            visitor.open(f"/repositories/{world.repository.id}/settings")
            assert visitor.horizontal_overflow() == 0
            look(visitor, f"settings-{scheme}-{width}")
    visitor.page.get_by_role("button", name="Review each pull request").click()
    visitor.expect_status("The setting was saved. It applies to builds from now on.")
    visitor.page.get_by_text("Not carried over").wait_for()
    assert visitor.console_errors == []
