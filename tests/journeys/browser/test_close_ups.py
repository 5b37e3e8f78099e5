"""The close-up of a change in a real browser: rendered when opened, readable on a phone."""

from playwright.sync_api import Page

from tests.support.browser import NARROWEST, OpenVisitor, wait_for
from tests.support.case import Case
from tests.support.images import ImageWorld, page
from tests.support.personas import Personas
from visual_review.kernel.blobs import blob_store

LOADED = "image => image.complete && image.naturalWidth"


def rendered_images() -> list[str]:
    return list(blob_store().keys("drawn"))


def loaded_width(page: Page) -> int:
    image = page.get_by_role("img", name="cropped to the change")
    wait_for("the image is loaded", lambda: image.evaluate(LOADED))
    return int(image.evaluate("image => image.naturalWidth"))


def test_opening_the_close_up_renders_it_and_the_page_keeps_its_width(
    open_visitor: OpenVisitor, personas: Personas, case: Case
) -> None:
    world = ImageWorld(personas.alice)
    shot = world.pair(page(1200, 300, "red"), page(1200, 300, "green", at=(900, 200)))
    visitor = open_visitor(personas.carol)
    for width in (1440, NARROWEST):
        with case(f"{width} pixels"):
            blob_store().delete(rendered_images())
            visitor.page.set_viewport_size({"width": width, "height": 900})
            visitor.open(f"/builds/{shot.build_id}/plain")
            visitor.page.wait_for_load_state("networkidle")
            assert rendered_images() == []
            visitor.page.get_by_text("Close-up of the change").click()
            assert loaded_width(visitor.page) > 640
            assert len(rendered_images()) == 1
            assert visitor.horizontal_overflow() == 0
            assert visitor.console_errors == []
