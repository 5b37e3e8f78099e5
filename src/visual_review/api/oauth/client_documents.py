"""Fetches the metadata document of a client, from a host named by anyone.

The toolkit's own fetcher limits only each read, so a host sending one byte every few seconds would
block a thread for hours, and the fetcher treats multicast and site-local IP addresses as public.
"""

import http.client
import re
import ssl
import time
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

from oauth2_provider.cimd import CIMDError, SafeMetadataFetcher

from visual_review.accounts.oauth.client_rules import ClientMetadataError, parse_document
from visual_review.accounts.oauth.redirects import PRIVATE_SCHEMES
from visual_review.api.json_bodies import JSON_TYPE, parse_object
from visual_review.kernel.errors import InvalidInputError
from visual_review.kernel.outbound import (
    OutboundError,
    OutboundRequest,
    OutboundResponse,
    port_of,
    resolve,
    send,
)
from visual_review.kernel.public_addresses import is_public

# With other ports, a caller could find out the open ports of a host.
HTTPS_PORT: Final = 443
TIMEOUT_SECONDS: Final = 5.0
MAX_BYTES: Final = 16 * 1024
# Long enough to spare the host, short enough to drop a removed redirect URI soon.
CACHE_SECONDS: Final = 60 * 60
_URL: Final = re.compile(r"https://[!-~]+")
_FORBIDDEN: Final = frozenset('\\#@"<>^`{|}')


class DocumentFetcher(SafeMetadataFetcher):  # type: ignore[misc] # The toolkit has no types.
    """https on port 443, public IP addresses only, no redirects, at most five seconds and 16 KB."""

    def fetch(self, client_id: str) -> tuple[dict[str, Any], int]:
        """Return the document for the toolkit and its lifetime in seconds; raises CIMDError."""
        url = document_url(client_id)
        deadline = time.monotonic() + TIMEOUT_SECONDS
        try:
            port = port_of(url)
            if not self.permits_port(port):
                raise CIMDError(f"The document must be served on port {HTTPS_PORT}, not {port}.")
            addresses = resolve(url, self.permits, TIMEOUT_SECONDS)
        except OutboundError as error:
            raise CIMDError(str(error)) from error
        failure = "it has no IP address"
        for address in addresses:
            try:
                return parse_client_document(self.read(url, address, deadline)), CACHE_SECONDS
            except (OSError, ValueError, http.client.HTTPException) as error:
                # Another IP address of the host may respond in the remaining time.
                failure = str(error)
        raise CIMDError(f"The document cannot be fetched: {failure}")

    def permits(self, address: str) -> bool:
        return is_public(address)

    def permits_port(self, port: int) -> bool:
        return port == HTTPS_PORT

    def context(self) -> ssl.SSLContext:
        return ssl.create_default_context()

    def read(self, url: SplitResult, address: str, deadline: float) -> bytes:
        """Return the response body from the IP address."""
        request = OutboundRequest("GET", url, {"Accept": "application/json"})
        return _body(send(request, address, deadline, MAX_BYTES, self.context()))


def document_url(client_id: str) -> SplitResult:
    """Parse a client id as the URL of a document; raises CIMDError."""
    url = urlsplit(client_id)
    # Browsers and proxies treat an encoded dot as a dot.
    segments = re.sub("%2e", ".", url.path, flags=re.IGNORECASE).split("/")
    if not _URL.fullmatch(client_id) or _FORBIDDEN.intersection(client_id) or not url.hostname:
        raise CIMDError("A client id with a document is an https URL without user or fragment.")
    if not url.path or "." in segments or ".." in segments:
        raise CIMDError("The URL of the document needs a path without dot segments.")
    return url


def parse_client_document(body: bytes) -> dict[str, Any]:
    """Return the supported part of a document; raises CIMDError."""
    try:
        metadata = parse_object(body)
        facts = parse_document(metadata, PRIVATE_SCHEMES)
    except (InvalidInputError, ClientMetadataError) as error:
        raise CIMDError(str(error)) from error
    return {
        # The toolkit compares the id with the requested URL.
        "client_id": metadata.get("client_id"),
        "client_name": facts.name,
        "redirect_uris": list(facts.redirects),
        "grant_types": ["authorization_code", "refresh_token"],
    }


def _body(response: OutboundResponse) -> bytes:
    if response.status != HTTPStatus.OK:
        raise CIMDError(f"The host of the document returned {response.status}.")
    kind = response.content_type
    if kind != JSON_TYPE and not (kind.startswith("application/") and kind.endswith("+json")):
        raise CIMDError("The document does not have a JSON type.")
    if len(response.body) > MAX_BYTES:
        raise CIMDError(f"The document is larger than {MAX_BYTES} bytes.")
    return response.body
