"""Requests to user-given hosts: resolved and checked once, one deadline, one small response.

The connection goes to the checked IP address, so a name that resolves otherwise a moment later
leads nowhere. Redirects are never followed.
"""

import contextlib
import http.client
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network, ip_address
from typing import Final
from urllib.parse import SplitResult

from visual_review.kernel.connections import release_connection
from visual_review.kernel.public_addresses import is_public

Network = IPv4Network | IPv6Network
# The system's resolver may block for half a minute.
_resolver: Final = ThreadPoolExecutor(8, thread_name_prefix="outbound")
HTTPS: Final = "https"
_PORTS: Final = {HTTPS: 443, "http": 80}


class OutboundError(OSError):
    """The host cannot be asked; the message says why."""


@dataclass(frozen=True)
class OutboundRequest:
    """A request to the host of ``url``; headers and body are sent unchanged."""

    method: str
    url: SplitResult
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


@dataclass(frozen=True)
class OutboundResponse:
    """The beginning of the body, up to one byte more than the limit."""

    status: int
    content_type: str
    body: bytes


def port_of(url: SplitResult) -> int:
    """Return the port; raises OutboundError for an invalid port."""
    try:
        return _PORTS[url.scheme] if url.port is None else url.port
    except (KeyError, ValueError) as error:
        raise OutboundError(f"The URL has no valid port: {error}.") from error


def resolve(url: SplitResult, permits: Callable[[str], bool], seconds: float) -> list[str]:
    """Return the IP addresses of the URL's host.

    Raises OutboundError if any IP address is not permitted.
    """
    lookup = _resolver.submit(
        socket.getaddrinfo, url.hostname or "", port_of(url), type=socket.SOCK_STREAM
    )
    try:
        found = [str(entry[4][0]) for entry in lookup.result(seconds)]
    except (OSError, TimeoutError, UnicodeError) as error:
        raise OutboundError(f"The host '{url.hostname}' cannot be resolved: {error}") from error
    if not all(permits(address) for address in found):
        raise OutboundError(f"The host '{url.hostname}' is not on the public internet.")
    return list(dict.fromkeys(found))


def send(
    request: OutboundRequest,
    address: str,
    deadline: float,
    most_bytes: int,
    context: ssl.SSLContext | None = None,
) -> OutboundResponse:
    """Send the request to an IP address of its host; the TLS host name is the URL's.

    At ``deadline``, a time of the monotonic clock, the connection is shut down. Raises OSError and
    http.client.HTTPException.
    """
    url = request.url
    # The timeout of the socket limits the handshake as a whole.
    with contextlib.ExitStack() as stack:
        plain = socket.create_connection((address, port_of(url)), timeout=_left(deadline))
        connected: socket.socket = stack.enter_context(plain)
        if url.scheme == HTTPS:
            secure = (context or ssl.create_default_context()).wrap_socket(
                connected, server_hostname=url.hostname
            )
            connected = stack.enter_context(secure)
        stack.enter_context(_close_at_deadline(connected, deadline))
        connection = http.client.HTTPConnection(url.hostname or "", port_of(url))
        connection.sock = connected
        target = f"{url.path or '/'}?{url.query}" if url.query else url.path or "/"
        headers = {"Host": url.netloc.rpartition("@")[2], **request.headers, "Connection": "close"}
        connection.request(request.method, target, request.body, headers)
        response = connection.getresponse()
        body = response.read(most_bytes + 1)
        return OutboundResponse(response.status, response.headers.get_content_type(), body)


def send_to_host(
    request: OutboundRequest, private: Sequence[Network], seconds: float, most_bytes: int
) -> OutboundResponse:
    """Send the request over https to a public host, or to one in ``private``, also over http.

    Raises OutboundError for other hosts, OSError and http.client.HTTPException.
    """

    def is_private(address: str) -> bool:
        return any(ip_address(address) in network for network in private)

    release_connection()
    deadline = time.monotonic() + seconds
    url = request.url
    addresses = resolve(url, lambda address: is_public(address) or is_private(address), seconds)
    if url.scheme != HTTPS and not all(map(is_private, addresses)):
        raise OutboundError("Only https is used on the public internet.")
    for address in addresses[:-1]:
        try:
            return send(request, address, deadline, most_bytes)
        except OSError:
            # For example an address of IPv6 on a machine without IPv6.
            continue
    return send(request, addresses[-1], deadline, most_bytes)


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("The host is too slow.")
    return left


@contextlib.contextmanager
def _close_at_deadline(connected: socket.socket, deadline: float) -> Iterator[None]:
    """Shut the connection down at the deadline, however slowly bytes arrive."""
    timer = threading.Timer(_left(deadline), _shut, [connected])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _shut(connected: socket.socket) -> None:
    with contextlib.suppress(OSError):
        # Shut down the plain socket: TLS would first discard its state, still in use by a reader.
        socket.socket.shutdown(connected, socket.SHUT_RDWR)
