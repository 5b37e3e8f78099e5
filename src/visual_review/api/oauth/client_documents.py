"""Fetches the document that describes a client, from a host anybody may name.

The toolkit's own fetcher bounds each wait for bytes, so that a host sending one byte every few
seconds would hold a thread for hours, and takes multicast and site-local addresses for public.
"""

import contextlib
import http.client
import re
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

from oauth2_provider.cimd import CIMDError, SafeMetadataFetcher

from visual_review.accounts.oauth.client_rules import ClientRefusedError, documented
from visual_review.accounts.oauth.public_addresses import is_public
from visual_review.accounts.oauth.redirects import PRIVATE_SCHEMES
from visual_review.api.json_bodies import JSON_TYPE, parse_object
from visual_review.kernel.errors import InvalidInputError

SECONDS: Final = 5.0
BYTES: Final = 16 * 1024
# Long enough to be gentle to the host, short enough that a withdrawn redirect is soon gone.
KEPT_SECONDS: Final = 60 * 60
_URL: Final = re.compile(r"https://[!-~]+")
_FORBIDDEN: Final = frozenset('\\#@"<>^`{|}')
# The system's resolver may wait for half a minute, whatever we would like.
_resolver: Final = ThreadPoolExecutor(4, thread_name_prefix="client-documents")


class DocumentFetcher(SafeMetadataFetcher):  # type: ignore[misc] # The toolkit has no types.
    """https only, public addresses only, no redirect, five seconds and 16 KB in all."""

    def fetch(self, client_id: str) -> tuple[dict[str, Any], int]:
        """The document as the toolkit stores it, and for how many seconds; raises CIMDError."""
        url = document_url(client_id)
        deadline = time.monotonic() + SECONDS
        failure = "it has no address"
        for address in self.addresses(url.hostname or "", url.port or 443):
            try:
                return accepted(self.read(url, address, deadline)), KEPT_SECONDS
            except (OSError, ValueError, http.client.HTTPException) as error:
                # Another address of the host may answer, in the time that is left.
                failure = str(error)
        raise CIMDError(f"The document cannot be fetched: {failure}")

    def addresses(self, host: str, port: int) -> list[str]:
        """Where the host lies. Refused whole when one address is not public: it may be a trap."""
        looking = _resolver.submit(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
        try:
            found = [str(entry[4][0]) for entry in looking.result(SECONDS)]
        except (OSError, TimeoutError, UnicodeError) as error:
            raise CIMDError(f"The host of the document is unknown: {error}") from error
        if not all(self.permits(address) for address in found):
            raise CIMDError("The host of the document is not on the public internet.")
        return list(dict.fromkeys(found))

    def permits(self, address: str) -> bool:
        return is_public(address)

    def context(self) -> ssl.SSLContext:
        return ssl.create_default_context()

    def read(self, url: SplitResult, address: str, deadline: float) -> bytes:
        """The body of the answer at this address, which is asked by the name of the host."""
        port, host = url.port or 443, url.hostname or ""
        with (
            # The handshake is bounded as a whole by the timeout that its socket has.
            socket.create_connection((address, port), timeout=_left(deadline)) as plain,
            self.context().wrap_socket(plain, server_hostname=host) as secure,
            _cut_at(secure, deadline),
        ):
            connection = http.client.HTTPConnection(host, port)
            connection.sock = secure
            target = f"{url.path}?{url.query}" if url.query else url.path
            headers = {"Host": url.netloc, "Accept": "application/json", "Connection": "close"}
            connection.request("GET", target, headers=headers)
            return _body(connection.getresponse())


def document_url(client_id: str) -> SplitResult:
    """A client id as the address of a document; raises CIMDError."""
    url = urlsplit(client_id)
    # Browsers and proxies read an encoded dot as a dot.
    segments = re.sub("%2e", ".", url.path, flags=re.IGNORECASE).split("/")
    if not _URL.fullmatch(client_id) or _FORBIDDEN.intersection(client_id) or not url.hostname:
        raise CIMDError("A client id with a document is an https address without user or fragment.")
    if not url.path or "." in segments or ".." in segments:
        raise CIMDError("The address of the document needs a path without dot segments.")
    return url


def accepted(body: bytes) -> dict[str, Any]:
    """What we take over from a document; raises CIMDError."""
    try:
        metadata = parse_object(body)
        facts = documented(metadata, PRIVATE_SCHEMES)
    except (InvalidInputError, ClientRefusedError) as error:
        raise CIMDError(str(error)) from error
    return {
        # The toolkit compares it with the address it asked.
        "client_id": metadata.get("client_id"),
        "client_name": facts.name,
        "redirect_uris": list(facts.redirects),
        "grant_types": ["authorization_code", "refresh_token"],
    }


def _body(response: http.client.HTTPResponse) -> bytes:
    if response.status != HTTPStatus.OK:
        raise CIMDError(f"The host of the document answered {response.status}.")
    kind = response.headers.get_content_type()
    if kind != JSON_TYPE and not (kind.startswith("application/") and kind.endswith("+json")):
        raise CIMDError("The document is not of a JSON type.")
    body = response.read(BYTES + 1)
    if len(body) > BYTES:
        raise CIMDError(f"The document is larger than {BYTES} bytes.")
    return body


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("The host of the document is too slow.")
    return left


@contextlib.contextmanager
def _cut_at(secure: ssl.SSLSocket, deadline: float) -> Iterator[None]:
    """Shut the connection down at the deadline, however slowly bytes drip in."""
    timer = threading.Timer(_left(deadline), _shut, [secure])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _shut(secure: ssl.SSLSocket) -> None:
    with contextlib.suppress(OSError):
        # The plain socket's way: TLS would first forget its state, which a reader still uses.
        socket.socket.shutdown(secure, socket.SHUT_RDWR)
