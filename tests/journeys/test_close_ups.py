"""The close-up of a change in a real browser: drawn when somebody opens it, readable on a phone."""

import pytest
from playwright.sync_api import Browser, Page
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from tests.journeys.browsing import NARROWEST, Visitor, browser, new_visitor, wait_for
from tests.personas import PASSWORD, make_personas
from tests.pictures import PictureWorld, page
from visual_review.kernel.blobs import blob_store

__all__ = ["browser"]
LOADED = "picture => picture.complete && picture.naturalWidth"


def drawn() -> list[str]:
    return list(blob_store().keys("drawn"))


@pytest.fixture(params=[1440, NARROWEST])
def visitor(
    request: pytest.FixtureRequest, browser: Browser, live_server: LiveServer, settings: Settings
) -> Visitor:
    settings.PUBLIC_URL = live_server.url
    world = PictureWorld(make_personas().alice)
    shot = world.pair(page(1200, 300, "red"), page(1200, 300, "green", at=(900, 200)))
    visitor = new_visitor(
        browser, live_server.url, viewport={"width": request.param, "height": 900}
    )
    visitor.sign_in("carol@example.com", PASSWORD)
    visitor.open(f"/builds/{shot.build_id}")
    return visitor


def loaded_width(page: Page) -> int:
    picture = page.get_by_role("img", name="cropped to the change")
    wait_for("the picture is loaded", lambda: picture.evaluate(LOADED))
    return int(picture.evaluate("picture => picture.naturalWidth"))


def test_opening_the_close_up_draws_it_and_the_page_keeps_its_width(visitor: Visitor) -> None:
    visitor.page.wait_for_load_state("networkidle")
    assert drawn() == []
    visitor.page.get_by_text("Close-up of the change").click()
    assert loaded_width(visitor.page) > 640
    assert len(drawn()) == 1
    assert visitor.sideways() == 0
    assert visitor.complaints == []
