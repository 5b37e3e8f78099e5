"""What the client reads of a capture plan."""

from typing import Any

import pytest

from visual_review.client.capture import Viewport
from visual_review.client.publishing import ServiceError
from visual_review.client.publishing.responses import read_plan, require_accepted_server
from visual_review.client.transport.connection import INTERFACE
from visual_review.imagediff import DEFAULT_LIMITS, Limits


def plan(**viewports: dict[str, int]) -> dict[str, Any]:
    sizes = {device: {"width": 400, "height": 300} for device in ("phone", "tablet", "desktop")}
    return {"themes": ["light"], "devices": ["phone"], "viewports": sizes | viewports}


def test_the_servers_viewport_sizes_are_used() -> None:
    read = read_plan(plan(phone={"width": 412, "height": 915}))
    assert read.viewports["phone"] == Viewport(412, 915)
    assert read.viewports["desktop"] == Viewport(400, 300)


@pytest.mark.parametrize("size", [{"width": 9000, "height": 10}, {"width": 10, "height": 0}])
def test_a_size_that_cannot_be_captured_is_an_error(size: dict[str, int]) -> None:
    with pytest.raises(ServiceError, match=f"not {size['width']} x {size['height']} for tablet"):
        read_plan(plan(tablet=size))


def test_a_plan_without_sizes_is_an_error() -> None:
    with pytest.raises(ServiceError, match="viewports"):
        read_plan({"themes": ["light"], "devices": ["phone"]})


def test_the_servers_limits_of_images_are_used_where_it_says_them() -> None:
    assert read_plan(plan()).image_limits == DEFAULT_LIMITS
    given = {**plan(), "imageLimits": {"side": 100, "pixels": 5000}}
    assert read_plan(given).image_limits == Limits(side=100, pixels=5000)
    with pytest.raises(ServiceError, match="pixels"):
        read_plan({**plan(), "imageLimits": {"side": 100}})


def test_a_server_that_is_too_old_is_named() -> None:
    assert read_plan({**plan(), "interface": {"version": INTERFACE, "oldestClient": 1}})
    with pytest.raises(ServiceError, match="Install the client that the server offers"):
        require_accepted_server(1, oldest=2)
