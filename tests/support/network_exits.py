"""Every way out of a page that browsers offer, and servers that notice what arrives."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Final

SITE: Final = Path(__file__).parent / "exits_site"
# Sent to no one; it only chooses the address that this machine would send from.
ANY_OTHER_MACHINE: Final = ("192.0.2.254", 9)


@dataclass
class Target:
    """A TCP and a UDP port of one address, with what arrived there.

    It redirects requests for ``/redirect``, if it knows where to.
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
    """Return addresses of this machine: of loopback, and the one that others see."""
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
    """Listen on free ports of those ``hosts`` that this machine has."""
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
