"""Screenshots that changed alike in a real browser: one heading, one decision."""

import os
from pathlib import Path

from playwright.sync_api import expect

from tests.support.browser import NARROWEST, OpenVisitor, Visitor
from tests.support.images import ImageWorld, page
from tests.support.personas import Personas
from visual_review.builds.models import Build, ChangeGroup, Screenshot

CARDS = [f"components-card--{name}" for name in ("plain", "with-image", "disabled")]
# A folder to which pictures of the pages are written, to look at them.
LOOK = os.environ.get("LOOK_AT_PAGES")


def publish_groups(world: ImageWorld) -> Build:
    """Publish three cards that changed alike, a menu that changed otherwise, and a new story."""
    before, after = page(600, 300), page(600, 300, "green", at=(400, 180))
    first = world.show({**dict.fromkeys(CARDS, before), "components-menu--open": before})
    world.act("approve_build", buildId=first.id)
    other = {"components-menu--open": page(600, 330, "red"), "components-tabs--plain": before}
    return world.show({**dict.fromkeys(CARDS, after), **other})


def look(visitor: Visitor, name: str) -> None:
    if LOOK:
        visitor.page.wait_for_load_state("networkidle")
        visitor.page.screenshot(path=Path(LOOK) / f"{name}.png", full_page=True)


def test_a_group_is_approved_with_one_button(open_visitor: OpenVisitor, personas: Personas) -> None:
    build = publish_groups(ImageWorld(personas.alice))
    group = ChangeGroup.objects.get(build=build, screenshot_count=3)
    odd = Screenshot.objects.get(build=build, story_id="components-menu--open")
    ChangeGroup.objects.filter(pk=group.pk).update(outliers=[odd.pk])
    visitor = open_visitor(personas.bob)
    visitor.open(f"/builds/{build.id}/plain")
    heading = visitor.page.locator(".group")
    assert "3 alike, 1 differs" in heading.inner_text()
    look(visitor, "wide")
    heading.get_by_role("button", name="Approve these 3").click()
    visitor.page.get_by_text("It applies to 3 screenshots.").wait_for()
    approved = Screenshot.objects.filter(build=build, review_decision="approved")
    assert sorted(approved.values_list("story_id", flat=True)) == sorted(CARDS)
    assert visitor.page.get_by_role("button", name="Approve these").count() == 0
    visitor.page.get_by_role("link", name="Title of components-menu--open (light").click()
    expect(visitor.page.locator(f"#{odd.pk}")).to_be_visible()
    assert visitor.console_errors == []


def test_the_page_fits_a_phone_in_light_and_dark(
    open_visitor: OpenVisitor, personas: Personas
) -> None:
    build = publish_groups(ImageWorld(personas.alice))
    for scheme in ("light", "dark"):
        visitor = open_visitor(personas.bob, color_scheme=scheme)
        for width in (1440, NARROWEST):
            visitor.page.set_viewport_size({"width": width, "height": 900})
            visitor.open(f"/builds/{build.id}/plain")
            assert visitor.horizontal_overflow() == 0
            look(visitor, f"{scheme}-{width}")
        visitor.open(f"/repositories/{build.repository_id}/settings")
        assert visitor.horizontal_overflow() == 0
        look(visitor, f"settings-{scheme}")
        assert visitor.console_errors == []
