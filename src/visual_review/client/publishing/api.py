"""The CI interface over HTTP, as docs/reference/ci-interface.md has it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Self
from urllib.parse import urljoin, urlsplit

import httpx

from visual_review.client.publishing.answers import (
    CreatedBuild,
    Plan,
    Progress,
    Upload,
    read_created,
    read_plan,
    read_progress,
    read_uploads,
)
from visual_review.client.publishing.errors import InputError, ServiceError, UploadAddressError
from visual_review.client.publishing.refusals import conflict, refusal
from visual_review.client.publishing.retry import OnRetry, Patience, send
from visual_review.client.terminal import printable

CONNECT_SECONDS: Final = 10.0
# An answer may wait for a lock that many jobs want at once.
ANSWER_SECONDS: Final = 120.0
CONNECTIONS: Final = 16
# What S3 and our own addresses say when a signature has ended.
ADDRESS_ENDED: Final = frozenset({403, 404, 410})


class Service:
    """One project's CI interface. Safe to use from several threads; close it after use."""

    def __init__(
        self, base_url: str, token: str, patience: Patience | None = None, *, on_retry: OnRetry
    ) -> None:
        self._base = checked_base(base_url)
        self._patience = patience or Patience()
        self._on_retry = on_retry
        timeout = httpx.Timeout(ANSWER_SECONDS, connect=CONNECT_SECONDS, pool=None)
        limits = httpx.Limits(max_connections=CONNECTIONS)
        self._calls = httpx.Client(
            timeout=timeout, limits=limits, headers={"Authorization": f"Bearer {token}"}
        )
        # Addresses of images are signed; a storage service must not see the project token.
        self._uploads = httpx.Client(timeout=timeout, limits=limits)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._calls.close()
        self._uploads.close()

    def plan(self, query: Mapping[str, str | int]) -> Plan:
        return read_plan(self._call("GET", "capture-plan", params=query))

    def create(self, build: Mapping[str, Any]) -> CreatedBuild:
        return read_created(self._call("POST", "builds", json=build))

    def announce(
        self, build_id: str, shard: int, screenshots: Sequence[Mapping[str, Any]]
    ) -> list[Upload]:
        """Send a chunk of the manifest; the answer is what to upload and where to."""
        body = {"shard": shard, "screenshots": screenshots}
        return read_uploads(self._call("POST", f"builds/{build_id}/screenshots", json=body))

    def finish(self, build_id: str, shard: int) -> Progress:
        """Raises ConflictError with ``missing`` while announced images did not arrive."""
        return read_progress(self._call("POST", f"builds/{build_id}/finish", json={"shard": shard}))

    def progress(self, build_id: str) -> Progress:
        return read_progress(self._call("GET", f"builds/{build_id}"))

    def put(self, upload: Upload, file: Path) -> None:
        """Upload one image. Raises UploadAddressError when its address has ended."""
        address = urljoin(f"{self._base}/", upload.url)

        def once() -> httpx.Response:
            # Opened anew for each attempt: a second one would find the first one's file at its end.
            with file.open("rb") as image:
                return self._uploads.put(
                    address, content=image, headers={"Content-Type": "image/png"}
                )

        where = f"{urlsplit(address).scheme}://{urlsplit(address).netloc}"
        response = self._send(once, where)
        if response.is_success:
            return
        if response.status_code in ADDRESS_ENDED:
            raise UploadAddressError(
                f"{where} did not take an image (status {response.status_code}): "
                f"{printable(response.text[:300])}"
            )
        raise refusal(response, f"{where}, where the image {upload.sha256} was to go,")

    def _call(self, method: str, path: str, **request: Any) -> Mapping[str, Any]:  # noqa: ANN401 - What httpx takes.
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

    def _send(self, call: Any, where: str) -> httpx.Response:  # noqa: ANN401 - A call without arguments.
        try:
            return send(call, self._patience, self._on_retry)
        except (httpx.RequestError, httpx.InvalidURL) as error:
            raise ServiceError(
                f"{where} cannot be reached: {error or type(error).__name__}. Check the address "
                "(VISUAL_REVIEW_URL or --url), that the server runs, and that this machine may "
                "reach it."
            ) from error


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
