"""The HTTP client of all Git providers: timeouts, retries, rate limits, redirects, pagination.

Raises only the errors of ``hosts.errors``. The client logs nothing, and error messages contain no
header and no query string, so no credential.
"""

import ssl
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from itertools import count
from typing import Final, TypeVar
from urllib.parse import quote, urljoin, urlsplit

import httpx

from visual_review.hosts.access import Access
from visual_review.hosts.errors import HostBusyError, HostMissingError, HostResponseError
from visual_review.hosts.responses import (
    HostResponse,
    InvalidCredentialsError,
    RequestNotProcessedError,
    RetryPolicy,
    find_error,
    find_pause_end,
    parse_response,
)
from visual_review.kernel.clock import now
from visual_review.kernel.connections import release_connection

Shape = TypeVar("Shape")
LARGEST_RESPONSE: Final = 10_000_000  # bytes
MOST_PAGES: Final = 1000
MOST_REDIRECTS: Final = 3
CONNECTIONS: Final = 4
_PORTS: Final = {"http": 80, "https": 443}
# Idempotent methods; POST is retried only where the caller says so.
_IDEMPOTENT: Final = frozenset({"GET", "PUT", "PATCH", "DELETE"})
# Providers send these statuses for the old name of a repository.
REDIRECTS: Final = frozenset({301, 302, 307, 308})
_KEEP_METHOD: Final = frozenset({301, 307, 308})


@dataclass(frozen=True)
class Timeouts:
    """Seconds to connect, between two chunks of a response, and for a call with its retries.

    The client checks the total with each chunk of a body and before each retry.
    """

    connect: float = 5.0
    read: float = 15.0
    total: float = 40.0


@dataclass(frozen=True)
class _Request:
    method: str
    url: str
    query: Mapping[str, str | int] = field(default_factory=dict)
    body: Mapping[str, object] | None = None
    retryable: bool = True

    @property
    def label(self) -> str:
        return f"{self.method} {urlsplit(self.url).path}"


class HostClient:
    """Calls the API at ``api_url``, without a trailing slash.

    Safe to use from several threads; close after use.
    """

    def __init__(
        self,
        api_url: str,
        access: Access,
        headers: Mapping[str, str] | None = None,
        *,
        retry_policy: RetryPolicy | None = None,
        timeouts: Timeouts | None = None,
    ) -> None:
        self._api_url = api_url
        self._access = access
        self._retry_policy = retry_policy or RetryPolicy()
        self._timeouts = timeouts or Timeouts()
        self._paused_until: datetime | None = None
        timeout = httpx.Timeout(self._timeouts.read, connect=self._timeouts.connect)
        self._http = httpx.Client(
            verify=_ssl_context(),
            timeout=timeout,
            limits=httpx.Limits(max_connections=CONNECTIONS),
            headers={"User-Agent": "visual-review", "Accept-Encoding": "gzip", **(headers or {})},
        )

    def close(self) -> None:
        self._http.close()

    def get(
        self, path: str, shape: type[Shape], query: Mapping[str, str | int] | None = None
    ) -> Shape:
        request = _Request("GET", self._url(path), query or {})
        return parse_response(self._send(request), shape)

    def send(
        self,
        method: str,
        path: str,
        body: Mapping[str, object],
        shape: type[Shape],
        *,
        retryable: bool = False,
    ) -> Shape:
        """Send ``body``; ``retryable`` says whether repeating a POST is harmless."""
        request = _Request(
            method,
            self._url(path),
            body=body,
            retryable=retryable or method in _IDEMPOTENT,
        )
        return parse_response(self._send(request), shape)

    def page(
        self, path: str, shape: type[Shape], query: Mapping[str, str | int]
    ) -> tuple[Shape, bool]:
        """Return the page requested by ``query``, and whether another one follows."""
        response = self._send(_Request("GET", self._url(path), query))
        return parse_response(response, shape), bool(response.next_page)

    def pages(
        self, path: str, shape: type[Shape], query: Mapping[str, str | int] | None = None
    ) -> Iterator[Shape]:
        """Yield every page as ``shape``, fetched lazily by following the ``next`` links."""
        request = _Request("GET", self._url(path), query or {})
        seen: set[str] = set()
        while True:
            response = self._send(request)
            yield parse_response(response, shape)
            if not response.next_page:
                return
            request = _Request("GET", self._require_same_origin(response.next_page, request))
            if request.url in seen or len(seen) >= MOST_PAGES:
                raise HostResponseError(
                    f"The list {request.label} does not end: the Git provider links to a page "
                    f"twice, or to more than {MOST_PAGES} pages."
                )
            seen.add(request.url)

    def _url(self, path: str) -> str:
        return f"{self._api_url}/{path}"

    def _send(self, request: _Request) -> HostResponse:
        """Return a successful response, after as many attempts as the retry policy allows."""
        deadline = time.monotonic() + self._timeouts.total
        renewed = False
        for attempt in count():
            headers = self._access.headers()
            try:
                return self._attempt(request, headers, deadline)
            except InvalidCredentialsError:
                if renewed or not self._access.renew():
                    raise
                renewed = True
            except HostBusyError as error:
                if not (request.retryable or isinstance(error, RequestNotProcessedError)):
                    raise
                pause = self._retry_policy.next_pause(attempt, error.until, now())
                if pause is None or time.monotonic() + pause > deadline:
                    raise
                self._retry_policy.sleep(pause)
        raise AssertionError  # count() never ends.

    def _attempt(
        self, request: _Request, headers: Mapping[str, str], deadline: float
    ) -> HostResponse:
        """Send the request once, following redirects."""
        if self._paused_until is not None and self._paused_until > now():
            raise RequestNotProcessedError(
                "The Git provider limits the request rate.", self._paused_until
            )
        try:
            response = self._exchange(request, headers, deadline)
            for _ in range(MOST_REDIRECTS):
                following = self._follow_redirect(request, response)
                if following is None:
                    break
                request = following
                response = self._exchange(request, headers, deadline)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            raise RequestNotProcessedError(_connection_message(request, error)) from None
        except httpx.TransportError as error:
            raise HostBusyError(_connection_message(request, error)) from None
        except (httpx.RequestError, httpx.InvalidURL) as error:
            raise HostResponseError(_connection_message(request, error)) from None
        moment = now()
        failure = find_error(response, moment)
        if failure is not None:
            raise failure
        self._paused_until = find_pause_end(response, moment)
        return response

    def _exchange(
        self, request: _Request, headers: Mapping[str, str], deadline: float
    ) -> HostResponse:
        """Send one request and read the whole response, within limits of time and size."""
        body = bytearray()
        release_connection()
        with self._http.stream(
            request.method,
            request.url,
            params=request.query or None,
            json=request.body,
            headers=headers,
        ) as response:
            for chunk in response.iter_bytes():
                body += chunk
                if len(body) > LARGEST_RESPONSE:
                    raise HostResponseError(
                        f"The Git provider's response to {request.label} is larger than "
                        f"{LARGEST_RESPONSE // 1_000_000} MB."
                    )
                if time.monotonic() > deadline:
                    raise HostBusyError(
                        f"The Git provider took more than {self._timeouts.total:g} s for "
                        f"{request.label}."
                    )
            return HostResponse(
                request=request.label,
                status=response.status_code,
                headers=response.headers,
                body=bytes(body),
                next_page=response.links.get("next", {}).get("url", ""),
            )

    def _follow_redirect(self, request: _Request, response: HostResponse) -> _Request | None:
        """Return the request to redirect to; None for all other responses."""
        location = response.headers.get("Location", "")
        if not location or response.status not in REDIRECTS:
            return None
        if request.method != "GET" and response.status not in _KEEP_METHOD:
            return None
        return replace(request, url=self._require_same_origin(location, request), query={})

    def _require_same_origin(self, url: str, request: _Request) -> str:
        """Return ``url`` as absolute; credentials are sent only to the provider's own origin."""
        try:
            absolute = urljoin(request.url, url)
            if _origin(absolute) == _origin(self._api_url):
                return absolute
        except ValueError:
            absolute = url
        raise HostResponseError(
            f"The Git provider's response to {request.label} leads to '{_redact(absolute)}', which "
            f"is not '{_redact(self._api_url)}'. No credentials are sent there. Check the URL of "
            "the account and the external URL in the Git provider's own settings."
        )


def quote_path(*segments: str | int) -> str:
    """Join the segments, each quoted; raises HostMissingError for an empty one or only dots."""
    texts = [str(segment) for segment in segments]
    if any(text in {"", ".", ".."} for text in texts):
        raise HostMissingError(f"The Git provider has nothing called '{'/'.join(texts)}'.")
    return "/".join(quote(text, safe="") for text in texts)


def _connection_message(request: _Request, error: Exception) -> str:
    reason = str(error) or type(error).__name__
    return f"The Git provider sent no complete response to {request.label}: {reason}"


def _origin(url: str) -> tuple[str, str, int]:
    """Return scheme, host and port; raises ValueError for an invalid URL."""
    parts = urlsplit(url)
    port = parts.port or _PORTS.get(parts.scheme, 0)
    return parts.scheme, (parts.hostname or "").lower(), port


def _redact(url: str) -> str:
    """Return only scheme and host: the rest may contain secrets."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.partition('/')[0].rpartition('@')[2]}"[:200]


@cache
def _ssl_context() -> ssl.SSLContext:
    """Created once, because creation takes longer than many calls."""
    return httpx.create_ssl_context()
