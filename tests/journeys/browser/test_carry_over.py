"""Carried-over approvals on pages of forms: the build's, and the repository's setting."""

from tests.support.browser import NARROWEST, OpenVisitor
from tests.support.images import ImageWorld
from tests.support.personas import Personas
from tests.support.published_changes import publish_carried_over

WIDTHS = (1440, NARROWEST)


def test_a_builds_page_without_javascript_fits_every_width(
    open_visitor: OpenVisitor, personas: Personas
) -> None:
    _, build = publish_carried_over(ImageWorld(personas.alice))
    for scheme in ("light", "dark"):
        visitor = open_visitor(personas.bob, color_scheme=scheme)
        for width in WIDTHS:
            visitor.page.set_viewport_size({"width": width, "height": 900})
            visitor.open(f"/builds/{build.id}/plain")
            assert visitor.horizontal_overflow() == 0
            visitor.page.get_by_role("link", name="#1 (build #2)").first.wait_for()
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
    visitor.page.get_by_role("button", name="Review each pull request").click()
    visitor.expect_status("The setting was saved. It applies to builds from now on.")
    visitor.page.get_by_text("Not carried over").wait_for()
    assert visitor.console_errors == []
