"""Without JavaScript a person reads and decides on a plain page."""

from tests.support.browser import OpenVisitor, wait_for
from tests.support.personas import Personas
from tests.support.published_changes import publish_changes


def test_a_build_is_read_and_decided(open_visitor: OpenVisitor, personas: Personas) -> None:
    reviewed = publish_changes(personas.alice, 3)
    visitor = open_visitor(personas.bob, java_script_enabled=False)
    visitor.open(reviewed.path)
    page = visitor.page
    page.wait_for_url(f"**{reviewed.path}/plain*")
    assert page.locator("img").count() >= 3
    page.locator('button[name="state"][value="approved"]').first.click()
    wait_for("it is stored", lambda: list(reviewed.decisions().values()) == ["approved"])
    page.wait_for_url(f"**{reviewed.path}/plain*")
