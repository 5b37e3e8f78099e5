"""One project's CI interface: calls with the credential, uploads to signed addresses without it."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Self
from urllib.parse import urljoin, urlsplit

import httpx

from visual_review.client.terminal import printable
from visual_review.client.transport.credentials import BearerAuth, Credential
from visual_review.client.transport.errors import InputError, ServiceError, UploadUrlError
from visual_review.client.transport.problems import conflict, refusal
from visual_review.client.transport.retry import OnRetry, RetryPolicy, send

CONNECT_SECONDS: Final = 10.0
# An answer may wait for a lock that many jobs want at once.
RESPONSE_SECONDS: Final = 120.0
CONNECTIONS: Final = 16
# What S3 and our own addresses say when a signature has ended.
URL_EXPIRED: Final = frozenset({403, 404, 410})
PIECE: Final = 256 * 1024


class Connection:
    """Safe to use from several threads; close it after use."""

    def __init__(
        self,
        base_url: str,
        credential: str | Credential,
        patience: RetryPolicy | None = None,
        *,
        on_retry: OnRetry,
    ) -> None:
        self._base = checked_base(base_url)
        self._patience = patience or RetryPolicy()
        self._on_retry = on_retry
        timeout = httpx.Timeout(RESPONSE_SECONDS, connect=CONNECT_SECONDS, pool=None)
        limits = httpx.Limits(max_connections=CONNECTIONS)
        # Identities end within minutes, hence a credential may be asked for at each call.
        current = (lambda: credential) if isinstance(credential, str) else credential
        self._calls = httpx.Client(timeout=timeout, limits=limits, auth=BearerAuth(current))
        # Addresses of uploads are signed; a storage service must not see the credential.
        self._uploads = httpx.Client(timeout=timeout, limits=limits)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._calls.close()
        self._uploads.close()

    def call(self, method: str, path: str, **request: Any) -> Mapping[str, Any]:  # noqa: ANN401 - What httpx takes.
        """The answer's JSON object. Raises ConflictError and ServiceError."""
        url = f"{self._base}/api/ci/{path}"
        response = self._send(lambda: self._calls.request(method, url, **request), self._base)
        if response.status_code == httpx.codes.CONFLICT:
            raise conflict(response, self._base)
        if not response.is_success:
            raise refusal(response, self._base)
        try:
            body = response.json()
        except ValueError:
            body = None
        if not isinstance(body, Mapping):
            raise ServiceError(
                f"{self._base} answered, but not as Visual Review does. Is the address right "
                "(VISUAL_REVIEW_URL or --url)?"
            )
        return body

    def put(self, url: str, part: "FilePart", what: str) -> None:
        """Upload ``part`` to ``url``. Raises UploadAddressError when that address has ended."""
        address = urljoin(f"{self._base}/", url)
        headers = {"Content-Type": part.content_type, "Content-Length": str(part.size)}

        def once() -> httpx.Response:
            # Read anew for each attempt: a second one would find the first one's file at its end.
            return self._uploads.put(address, content=part.pieces(), headers=headers)

        where = f"{urlsplit(address).scheme}://{urlsplit(address).netloc}"
        response = self._send(once, where)
        if response.is_success:
            return
        if response.status_code in URL_EXPIRED:
            raise UploadUrlError(
                f"{where} did not take {what} (status {response.status_code}): "
                f"{printable(response.text[:300])}"
            )
        raise refusal(response, f"{where}, where {what} was to go,")

    def _send(self, call: Callable[[], httpx.Response], where: str) -> httpx.Response:
        try:
            return send(call, self._patience, self._on_retry)
        except (httpx.RequestError, httpx.InvalidURL) as error:
            raise ServiceError(
                f"{where} cannot be reached: {error or type(error).__name__}. Check the address "
                "(VISUAL_REVIEW_URL or --url), that the server runs, and that this machine may "
                "reach it."
            ) from error


class FilePart:
    """``size`` bytes of a file from ``start`` on, read in pieces: files may exceed the memory."""

    def __init__(self, file: Path, content_type: str, start: int, size: int) -> None:
        self.content_type = content_type
        self.size = size
        self._file = file
        self._start = start

    @classmethod
    def whole(cls, file: Path, content_type: str) -> Self:
        return cls(file, content_type, 0, file.stat().st_size)

    def pieces(self) -> Iterator[bytes]:
        left = self.size
        with self._file.open("rb") as source:
            source.seek(self._start)
            while left and (piece := source.read(min(PIECE, left))):
                left -= len(piece)
                yield piece
        if left:
            raise InputError(f"{self._file} became shorter while it was read. Run it again.")


def checked_base(url: str) -> str:
    """``url`` without a slash at its end. Raises InputError for what is no address of a server."""
    try:
        parts = urlsplit(url.strip())
        # Reading the port is what judges it.
        _ = parts.port
    except ValueError as error:
        raise InputError(f"The server's address {url!r} cannot be read: {error}.") from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(
            f"The server's address {url!r} must begin with http:// or https://, "
            "for example https://review.example.com."
        )
    if parts.username or parts.query or parts.fragment:
        raise InputError("The server's address takes no user name, query or fragment.")
    return url.strip().rstrip("/")
