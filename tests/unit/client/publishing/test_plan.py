"""The client's view of a capture plan."""

from typing import Any

import pytest

from visual_review.client.capture import Fingerprint
from visual_review.client.publishing import ServiceError
from visual_review.client.publishing.responses import read_plan
from visual_review.client.transport.connection import INTERFACE
from visual_review.imagediff import Limits
from visual_review.variants import Viewport


def plan(**viewports: dict[str, int]) -> dict[str, Any]:
    sizes = {device: {"width": 400, "height": 300} for device in ("phone", "tablet", "desktop")}
    return {
        "themes": ["light"],
        "devices": ["phone"],
        "viewports": sizes | viewports,
        "stories": {"button--primary": "source"},
        "renderers": {"button--primary": "renderer"},
        "imageLimits": {"side": 100, "pixels": 5000},
        "interface": {"version": INTERFACE, "oldestClient": INTERFACE},
    }


def test_the_servers_viewport_sizes_are_used() -> None:
    read = read_plan(plan(phone={"width": 412, "height": 915}))
    assert read.viewports["phone"] == Viewport(412, 915)
    assert read.viewports["desktop"] == Viewport(400, 300)


@pytest.mark.parametrize("size", [{"width": 9000, "height": 10}, {"width": 10, "height": 0}])
def test_a_size_that_cannot_be_captured_is_an_error(size: dict[str, int]) -> None:
    with pytest.raises(ServiceError, match=f"not {size['width']} x {size['height']} for tablet"):
        read_plan(plan(tablet=size))


def test_a_plan_without_sizes_is_an_error() -> None:
    without = {name: value for name, value in plan().items() if name != "viewports"}
    with pytest.raises(ServiceError, match="viewports"):
        read_plan(without)


def test_the_servers_limits_of_images_are_used() -> None:
    assert read_plan(plan()).image_limits == Limits(side=100, pixels=5000)
    with pytest.raises(ServiceError, match="pixels"):
        read_plan({**plan(), "imageLimits": {"side": 100}})


def test_the_hashes_of_each_story_are_read() -> None:
    assert read_plan(plan()).stories == {"button--primary": Fingerprint("source", "renderer")}


def test_a_server_that_is_too_old_is_named() -> None:
    for interface in ({"version": 1, "oldestClient": 1}, None):
        with pytest.raises(ServiceError, match="Install the client that the server offers"):
            read_plan({**plan(), "interface": interface})
