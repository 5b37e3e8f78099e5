"""The HTTP client of all source hosts: times, repeats, rate limits, redirects and pages.

Raises the errors of ``hosts.errors`` alone. It logs nothing, and what it says in errors holds no
header and no query, hence no credential.
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
    Answer,
    NotDoneError,
    UnknownHereError,
    failure_of,
    pause_after,
    read,
)
from visual_review.hosts.retries import RetryPolicy
from visual_review.kernel.clock import now

Shape = TypeVar("Shape")
LARGEST_RESPONSE: Final = 10_000_000  # bytes
MOST_PAGES: Final = 1000
MOST_REDIRECTS: Final = 3
CONNECTIONS: Final = 4
_PORTS: Final = {"http": 80, "https": 443}
# The same call once more leaves the host as it is; POST does only where the caller says so.
_REPEATABLE: Final = frozenset({"GET", "PUT", "PATCH", "DELETE"})
# Hosts answer these to the former name of a repository.
REDIRECTS: Final = frozenset({301, 302, 307, 308})
_KEEP_METHOD: Final = frozenset({301, 307, 308})


@dataclass(frozen=True)
class Times:
    """Seconds to connect, between two pieces of an answer, and for a call with its repeats.

    The total is looked at with each piece of a body and before each repeat.
    """

    connect: float = 5.0
    read: float = 15.0
    total: float = 40.0


@dataclass(frozen=True)
class _Request:
    method: str
    address: str
    query: Mapping[str, str | int] = field(default_factory=dict)
    body: Mapping[str, object] | None = None
    repeatable: bool = True

    @property
    def words(self) -> str:
        return f"{self.method} {urlsplit(self.address).path}"


class HostClient:
    """Calls to the interface at ``api``, an address without a slash at its end.

    Safe to use from several threads; close it after use.
    """

    def __init__(
        self,
        api: str,
        access: Access,
        headers: Mapping[str, str] | None = None,
        *,
        patience: RetryPolicy | None = None,
        times: Times | None = None,
    ) -> None:
        self._api = api
        self._access = access
        self._patience = patience or RetryPolicy()
        self._times = times or Times()
        self._paused_until: datetime | None = None
        timeout = httpx.Timeout(self._times.read, connect=self._times.connect)
        self._http = httpx.Client(
            verify=_certificates(),
            timeout=timeout,
            limits=httpx.Limits(max_connections=CONNECTIONS),
            headers={"User-Agent": "visual-review", "Accept-Encoding": "gzip", **(headers or {})},
        )

    def close(self) -> None:
        self._http.close()

    def get(
        self, path: str, shape: type[Shape], query: Mapping[str, str | int] | None = None
    ) -> Shape:
        request = _Request("GET", self._address(path), query or {})
        return read(self._ask(request), shape)

    def send(
        self,
        method: str,
        path: str,
        body: Mapping[str, object],
        shape: type[Shape],
        *,
        repeatable: bool = False,
    ) -> Shape:
        """Write ``body``; ``repeatable`` means that a POST done twice is as good as one."""
        request = _Request(
            method,
            self._address(path),
            body=body,
            repeatable=repeatable or method in _REPEATABLE,
        )
        return read(self._ask(request), shape)

    def pages(
        self, path: str, shape: type[Shape], query: Mapping[str, str | int] | None = None
    ) -> Iterator[Shape]:
        """Every page as ``shape``, each asked for when it is wanted, by the links of the answers."""
        request = _Request("GET", self._address(path), query or {})
        seen: set[str] = set()
        while True:
            answer = self._ask(request)
            yield read(answer, shape)
            if not answer.next_page:
                return
            request = _Request("GET", self._own(answer.next_page, request))
            if request.address in seen or len(seen) >= MOST_PAGES:
                raise HostResponseError(
                    f"The list {request.words} does not end: the host names a page twice, or more "
                    f"than {MOST_PAGES} of them."
                )
            seen.add(request.address)

    def _address(self, path: str) -> str:
        return f"{self._api}/{path}"

    def _ask(self, request: _Request) -> Answer:
        """A good answer, after as many attempts as our patience allows."""
        ends = time.monotonic() + self._times.total
        renewed = False
        for attempt in count():
            headers = self._access.headers()
            try:
                return self._once(request, headers, ends)
            except UnknownHereError:
                if renewed or not self._access.renew():
                    raise
                renewed = True
            except HostBusyError as error:
                if not (request.repeatable or isinstance(error, NotDoneError)):
                    raise
                pause = self._patience.pause(attempt, error.until, now())
                if pause is None or time.monotonic() + pause > ends:
                    raise
                self._patience.sleep(pause)
        raise AssertionError  # Counting does not end.

    def _once(self, request: _Request, headers: Mapping[str, str], ends: float) -> Answer:
        """One attempt, with the redirects on its way."""
        if self._paused_until is not None and self._paused_until > now():
            raise NotDoneError("The host limits how often it may be asked.", self._paused_until)
        try:
            answer = self._exchange(request, headers, ends)
            for _ in range(MOST_REDIRECTS):
                following = self._redirected(request, answer)
                if following is None:
                    break
                request = following
                answer = self._exchange(request, headers, ends)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            raise NotDoneError(_unreached(request, error)) from None
        except httpx.TransportError as error:
            raise HostBusyError(_unreached(request, error)) from None
        except (httpx.RequestError, httpx.InvalidURL) as error:
            raise HostResponseError(_unreached(request, error)) from None
        moment = now()
        failure = failure_of(answer, moment)
        if failure is not None:
            raise failure
        self._paused_until = pause_after(answer, moment)
        return answer

    def _exchange(self, request: _Request, headers: Mapping[str, str], ends: float) -> Answer:
        """One request and its whole answer, within bounds of time and size."""
        body = bytearray()
        with self._http.stream(
            request.method,
            request.address,
            params=request.query or None,
            json=request.body,
            headers=headers,
        ) as response:
            for chunk in response.iter_bytes():
                body += chunk
                if len(body) > LARGEST_RESPONSE:
                    raise HostResponseError(
                        f"The host's answer to {request.words} is larger than "
                        f"{LARGEST_RESPONSE // 1_000_000} MB."
                    )
                if time.monotonic() > ends:
                    raise HostBusyError(
                        f"The host took more than {self._times.total:g} s for {request.words}."
                    )
            return Answer(
                asked=request.words,
                status=response.status_code,
                headers=response.headers,
                body=bytes(body),
                next_page=response.links.get("next", {}).get("url", ""),
            )

    def _redirected(self, request: _Request, answer: Answer) -> _Request | None:
        """Where a redirect leads; None for all other answers."""
        location = answer.headers.get("Location", "")
        if not location or answer.status not in REDIRECTS:
            return None
        if request.method != "GET" and answer.status not in _KEEP_METHOD:
            return None
        return replace(request, address=self._own(location, request), query={})

    def _own(self, address: str, request: _Request) -> str:
        """``address``, which the host named, if it is the host's own; credentials go nowhere else."""
        try:
            absolute = urljoin(request.address, address)
            if _origin(absolute) == _origin(self._api):
                return absolute
        except ValueError:
            absolute = address
        raise HostResponseError(
            f"In its answer to {request.words} the host leads to '{_shown(absolute)}', which is "
            f"not '{_shown(self._api)}'. No credentials are sent there. Is the address right, and "
            "the external address in the host's own settings?"
        )


def path(*segments: str | int) -> str:
    """A path of these segments, each quoted; raises HostMissingError where one says nothing."""
    texts = [str(segment) for segment in segments]
    if any(text in {"", ".", ".."} for text in texts):
        raise HostMissingError(f"There is nothing called '{'/'.join(texts)}' at the host.")
    return "/".join(quote(text, safe="") for text in texts)


def _unreached(request: _Request, error: Exception) -> str:
    reason = str(error) or type(error).__name__
    return f"The host gave no whole answer to {request.words}: {reason}"


def _origin(address: str) -> tuple[str, str, int]:
    """Scheme, host and port; raises ValueError for what is no address."""
    parts = urlsplit(address)
    port = parts.port or _PORTS.get(parts.scheme, 0)
    return parts.scheme, (parts.hostname or "").lower(), port


def _shown(address: str) -> str:
    """Scheme and host alone: the rest may hold what was meant for somebody else."""
    scheme, _, rest = address.partition("://")
    return f"{scheme}://{rest.partition('/')[0].rpartition('@')[2]}"[:200]


@cache
def _certificates() -> ssl.SSLContext:
    """Read once: it takes longer than many a call."""
    return httpx.create_ssl_context()
