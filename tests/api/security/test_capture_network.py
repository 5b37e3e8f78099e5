"""Addresses within reach of stories: the capture's own port, and nothing else on this machine."""

import asyncio
import json
import socket
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any, Final

from tests.support.case import Case
from visual_review.client.capture import CaptureSettings
from visual_review.client.capture.browser import open_launcher
from visual_review.client.capture.chromium import HOST
from visual_review.client.capture.page import open_page
from visual_review.client.capture.server import StaticServer

SITE: Final = Path(__file__).parents[2] / "support" / "exits_site"
# Sent to no one: only chooses the address from which this machine would send.
ANY_OTHER_MACHINE: Final = ("192.0.2.254", 9)


@dataclass
class Target:
    """A TCP and a UDP port of one address, with everything received there.

    Requests for ``/redirect`` are redirected, if ``redirect_to`` is set.
    """

    host: str
    tcp: int
    udp: int
    redirect_to: str = ""
    arrived: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.tcp}/"


def own_addresses() -> list[str]:
    """Return addresses of this machine: of loopback, and the one visible to others."""
    addresses = ["127.0.0.1", "127.0.0.2", "::1"]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(ANY_OTHER_MACHINE)
            addresses.append(probe.getsockname()[0])
        except OSError:
            # A machine without any network.
            return addresses
    return addresses


@contextmanager
def listening(hosts: list[str]) -> Iterator[list[Target]]:
    """Listen on free ports of the ``hosts`` on this machine."""
    targets: list[Target] = []
    with ExitStack() as stack:
        for host in hosts:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            try:
                tcp = stack.enter_context(socket.create_server((host, 0), family=family))
            except OSError:
                continue
            udp = stack.enter_context(socket.socket(family, socket.SOCK_DGRAM))
            udp.bind((host, 0))
            target = Target(host, tcp.getsockname()[1], udp.getsockname()[1])
            Thread(target=_accept, args=(tcp, target), daemon=True).start()
            Thread(target=_receive, args=(udp, target), daemon=True).start()
            targets.append(target)
        yield targets


def _accept(server: socket.socket, target: Target) -> None:
    while True:
        try:
            connection = server.accept()[0]
            target.arrived.append("a connection")
            connection.settimeout(5)
            line = connection.recv(200).split(b"\r\n")[0]
            target.arrived.append(line.decode(errors="replace"))
            connection.sendall(_response(line, target.redirect_to))
            connection.close()
        except TimeoutError:
            connection.close()
        except OSError:
            return


def _response(line: bytes, redirect_to: str) -> bytes:
    status = b"200 OK"
    if redirect_to and b"/redirect" in line:
        status = b"307 Temporary Redirect\r\nLocation: " + redirect_to.encode()
    return b"HTTP/1.1 " + status + b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


def _receive(server: socket.socket, target: Target) -> None:
    while True:
        try:
            server.recvfrom(2000)
            target.arrived.append("a datagram")
        except OSError:
            return


ATTACK = (SITE / "attack.js").read_text(encoding="utf-8").rstrip(";\n")
TRIED = {"worker", "shared worker", "service worker", "web transport", "peer connection"}


def attack(targets: Sequence[Target], *allowed: str) -> dict[str, Any]:
    """Run the attack in a page of the capture; ``allowed`` are reachable hosts."""
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
    # The page does not even learn the machine's own addresses.
    assert result["candidates"] == []


def test_only_the_port_of_an_allowed_host_is_reached(case: Case) -> None:
    """Shows also that the attack works; otherwise the test above would prove nothing."""
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
