"""The setting of carried-over approvals on the repository's page."""

from tests.support.browser import NARROWEST
from tests.support.rendered_world import RenderedWorld

WIDTHS = (1440, NARROWEST)


def test_the_setting_is_changed_on_the_repositorys_page(world: RenderedWorld) -> None:
    for scheme in ("light", "dark"):
        visitor = world.open_window(world.persona, color_scheme=scheme)
        for width in WIDTHS:
            visitor.page.set_viewport_size({"width": width, "height": 900})
            visitor.open(f"/repositories/{world.repository.id}/settings")
            assert visitor.horizontal_overflow() == 0
    visitor.page.get_by_label("Carry approvals over to other pull requests").uncheck()
    visitor.page.get_by_role(
        "button", name="Save the setting Approvals across pull requests"
    ).click()
    visitor.expect_status("The setting was saved.")
    visitor.page.get_by_text("Each other pull request needs its own review").wait_for()
    assert visitor.console_errors == []
