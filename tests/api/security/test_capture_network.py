"""What stories can reach: the capture's own port, and nothing else on this machine."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from tests.support.case import Case
from tests.support.network_exits import SITE, Target, listening, own_addresses
from visual_review.client.capture import CaptureSettings
from visual_review.client.capture.browser import open_launcher
from visual_review.client.capture.chromium import HOST
from visual_review.client.capture.page import open_page
from visual_review.client.capture.server import StaticServer

ATTACK = (SITE / "attack.js").read_text(encoding="utf-8").rstrip(";\n")
TRIED = {"worker", "shared worker", "service worker", "web transport", "peer connection"}


def attack(targets: Sequence[Target], *allowed: str) -> dict[str, Any]:
    """Run the attack in a page of the capture; ``allowed`` are hosts that it may reach."""
    described = [
        {"host": target.host, "tcp": target.tcp, "udp": target.udp, "url": target.url}
        for target in targets
    ]

    async def run() -> dict[str, Any]:
        with StaticServer(SITE) as server:
            settings = CaptureSettings(allow_hosts=allowed)
            async with open_launcher(settings, server.port) as launcher:
                browser = await launcher.take_browser()
                page = await open_page(browser, settings, launcher.user_agent)
                await page.session.send("Page.navigate", url=f"http://{HOST}/")
                result: dict[str, Any] = await page.evaluate(f"({ATTACK})({json.dumps(described)})")
                return result

    return asyncio.run(run())


def test_no_other_port_of_the_machine_is_reached() -> None:
    with listening(own_addresses()) as targets:
        named = [
            Target(name, targets[0].tcp, targets[0].udp) for name in ("localhost", "a.localhost")
        ]
        result = attack([*targets, *named])
        arrived = {target.host: target.arrived for target in targets if target.arrived}
    assert arrived == {}
    assert set(result["tried"]) == TRIED
    # Not even the machine's own addresses are told to the page.
    assert result["candidates"] == []


def test_only_the_port_of_an_allowed_host_is_reached(case: Case) -> None:
    """Shows also that the attack works, without which the test above would prove nothing."""
    with listening(["127.0.0.1", "127.0.0.1"]) as (allowed, other):
        allowed.redirect_to = other.url
        attack([allowed, other], f"127.0.0.1:{allowed.tcp}")
        lines = "\n".join(allowed.arrived)
        assert other.arrived == []
    assert "GET /redirect " in lines
    for way in (
        *("fetch", "img", "video", "iframe", "websocket", "eventsource", "beacon", "prefetch"),
        *("stylesheet", "speculation", "form", "window", "ping", "worker-fetch"),
        *("worker-websocket", "shared-worker", "service-worker"),
    ):
        with case(way):
            assert f"?{way} " in lines
