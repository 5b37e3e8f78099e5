"""The CI interface over HTTP: calls with the credential, uploads to signed URLs without it."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Self
from urllib.parse import urljoin, urlsplit

import httpx
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from visual_review.client.terminal import printable
from visual_review.client.transport.credentials import BearerAuth, Credential
from visual_review.client.transport.errors import (
    ConflictError,
    InputError,
    ServiceError,
    UploadUrlError,
)
from visual_review.client.transport.retry import (
    TRANSIENT,
    TRANSIENT_OF_STORAGE,
    OnRetry,
    RetryPolicy,
    send_with_retry,
)

SHOWN_ERRORS: Final = 5
LONGEST_DETAIL: Final = 1000
ROTATION_ADVICE: Final = (
    "It is wrong or was rotated. Rotate it on the repository's page (or with the action "
    "rotate_repo_token) and store the new one as the CI secret UI_REVIEW_TOKEN."
)
# Part of the server's message when the credential was not a project token.
IDENTITY_PHRASE: Final = "identity token"
ADVICE: Final[dict[int, str]] = {
    404: "Check the URL (VISUAL_REVIEW_URL or --url).",
    413: "Capture less at once, or ask the server's administrator for a higher limit.",
    507: "Nothing more can be stored until space is freed; then publish again.",
}
# The client's version of the CI interface, and the oldest supported version.
INTERFACE: Final = 4
OLDEST_SERVER: Final = 4
INTERFACE_HEADER: Final = "Visual-Review-Interface"
CONNECT_SECONDS: Final = 10.0
# Without any response so far, the URL is probably wrong; after a first response, the server may be
# restarting.
FIRST_CONTACT_SECONDS: Final = 4.0
# Some networks drop packets to a wrong URL, so a single attempt must not take longer.
FIRST_CONNECT_SECONDS: Final = FIRST_CONTACT_SECONDS
# A response may wait for a lock wanted by many jobs at once.
RESPONSE_SECONDS: Final = 120.0
CONNECTIONS: Final = 16
# Status codes of S3 and of the server for an expired signature.
URL_EXPIRED: Final = frozenset({403, 404, 410})
CHUNK: Final = 256 * 1024


class Connection:
    """Safe to use from several threads; close it after use."""

    def __init__(
        self,
        base_url: str,
        credential: str | Credential,
        retry_policy: RetryPolicy | None = None,
        *,
        on_retry: OnRetry,
    ) -> None:
        self._base = validate_base_url(base_url)
        self._retry_policy = retry_policy or RetryPolicy()
        self._on_retry = on_retry
        timeout = make_timeout(CONNECT_SECONDS)
        limits = httpx.Limits(max_connections=CONNECTIONS)
        self._reached = False
        self._closed = False
        # Identity tokens expire within minutes, so each call asks for the current credential.
        current = (lambda: credential) if isinstance(credential, str) else credential
        # The server continues the trace of the command, whichever thread calls.
        self._trace: dict[str, str] = {}
        TraceContextTextMapPropagator().inject(self._trace)
        headers = {INTERFACE_HEADER: str(INTERFACE), **self._trace}
        self._calls = httpx.Client(
            timeout=timeout, limits=limits, auth=BearerAuth(current), headers=headers
        )
        # Upload URLs are signed; a storage service must not see the credential.
        self._uploads = httpx.Client(timeout=timeout, limits=limits)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._closed = True
        self._calls.close()
        self._uploads.close()

    def call(self, method: str, path: str, **request: Any) -> Mapping[str, Any]:  # noqa: ANN401 - What httpx takes.
        """Return the JSON object of the response. Raises ConflictError and ServiceError."""
        url = f"{self._base}/api/ci/{path}"
        timeout = make_timeout(CONNECT_SECONDS if self._reached else FIRST_CONNECT_SECONDS)
        response = self._send(
            lambda: self._calls.request(method, url, timeout=timeout, **request),
            self._base,
            connect_seconds=None if self._reached else FIRST_CONTACT_SECONDS,
        )
        self._reached = True
        if response.status_code == httpx.codes.CONFLICT:
            raise make_conflict_error(response, self._base)
        if not response.is_success:
            raise make_service_error(response, self._base)
        try:
            body = response.json()
        except ValueError:
            body = None
        if not isinstance(body, Mapping):
            raise ServiceError(
                f"{self._base} does not respond like Visual Review. Is the URL correct "
                "(VISUAL_REVIEW_URL or --url)?"
            )
        return body

    def put(self, url: str, part: "FilePart", what: str) -> None:
        """Upload ``part`` to ``url``. Raises UploadUrlError if the URL has expired."""
        target = urljoin(f"{self._base}/", url)
        headers = {"Content-Type": part.content_type, "Content-Length": str(part.size)}
        if target.startswith(f"{self._base}/"):
            headers |= self._trace

        def attempt() -> httpx.Response:
            # Opened again for each attempt: the first attempt has read the file to the end.
            return self._uploads.put(target, content=part.chunks(), headers=headers)

        where = f"{urlsplit(target).scheme}://{urlsplit(target).netloc}"
        response = self._send(attempt, where, transient=TRANSIENT_OF_STORAGE)
        if response.is_success:
            return
        if response.status_code in URL_EXPIRED:
            raise UploadUrlError(
                f"{where} did not accept {what} (status {response.status_code}): "
                f"{printable(response.text[:300])}"
            )
        raise make_service_error(response, f"The upload of {what} failed: {where}")

    def get(self, url: str, what: str, most_bytes: int) -> bytes:
        """Download from a signed URL, without the credential. Raises ServiceError."""
        target = urljoin(f"{self._base}/", url)
        where = f"{urlsplit(target).scheme}://{urlsplit(target).netloc}"
        response = self._send(
            lambda: self._uploads.get(target), where, transient=TRANSIENT_OF_STORAGE
        )
        if not response.is_success:
            raise make_service_error(response, f"{what} could not be read: {where}")
        if len(response.content) > most_bytes:
            raise ServiceError(f"{what} has more than {most_bytes:,} bytes.")
        return response.content

    def _note_retry(self, reason: str, pause: float) -> None:
        # After an error, uploads of other threads fail because their connection was closed.
        if not self._closed:
            self._on_retry(reason, pause)

    def _send(
        self,
        call: Callable[[], httpx.Response],
        where: str,
        *,
        transient: frozenset[int] = TRANSIENT,
        connect_seconds: float | None = None,
    ) -> httpx.Response:
        try:
            return send_with_retry(
                call,
                self._retry_policy,
                self._note_retry,
                transient=transient,
                connect_seconds=connect_seconds,
            )
        except (httpx.RequestError, httpx.InvalidURL) as error:
            raise ServiceError(
                f"{where} cannot be reached: {error or type(error).__name__}. Check the URL "
                "(VISUAL_REVIEW_URL or --url), and that the server is running and reachable from "
                "this machine."
            ) from error


def make_timeout(connect_seconds: float) -> httpx.Timeout:
    return httpx.Timeout(RESPONSE_SECONDS, connect=connect_seconds, pool=None)


class FilePart:
    """``size`` bytes of a file from ``start``, read in chunks: a file may not fit in memory."""

    def __init__(self, file: Path, content_type: str, start: int, size: int) -> None:
        self.content_type = content_type
        self.size = size
        self._file = file
        self._start = start

    @classmethod
    def whole(cls, file: Path, content_type: str) -> Self:
        return cls(file, content_type, 0, file.stat().st_size)

    def chunks(self) -> Iterator[bytes]:
        left = self.size
        with self._file.open("rb") as source:
            source.seek(self._start)
            while left and (chunk := source.read(min(CHUNK, left))):
                left -= len(chunk)
                yield chunk
        if left:
            raise InputError(
                f"{self._file} became shorter while it was read. Run the command again."
            )


def validate_base_url(url: str) -> str:
    """Return ``url`` without a trailing slash. Raises InputError unless a server's URL."""
    try:
        parts = urlsplit(url.strip())
        # Reading the port validates it.
        _ = parts.port
    except ValueError as error:
        raise InputError(f"The server's URL {url!r} is invalid: {error}.") from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(
            f"The server's URL {url!r} must begin with http:// or https://, "
            "for example https://review.example.com."
        )
    if parts.username or parts.query or parts.fragment:
        raise InputError("The server's URL must not have a user name, query or fragment.")
    return url.strip().rstrip("/")


def make_service_error(response: httpx.Response, where: str) -> ServiceError:
    """Return the error for a response without success."""
    status = response.status_code
    # Redirects are not followed, since a POST would arrive as a GET.
    if response.is_redirect:
        return ServiceError(
            f"{where} redirects to {printable(response.headers.get('location', ''))}. "
            "Use that URL as VISUAL_REVIEW_URL."
        )
    detail = _format_detail(_read_problem(response))
    if status == httpx.codes.UNAUTHORIZED and IDENTITY_PHRASE not in detail:
        return ServiceError(
            f"{where} rejected the project token (status {status}). {ROTATION_ADVICE}", status
        )
    parts = [f"{where} responded with status {status}:", detail]
    return ServiceError(" ".join([*parts, ADVICE.get(status, "")]).strip(), status)


def make_conflict_error(response: httpx.Response, where: str) -> ConflictError:
    problem = _read_problem(response)
    missing = problem.get("missing")
    # For a recording, there is one list for each kind of file.
    lists = missing.values() if isinstance(missing, Mapping) else [missing]
    names = tuple(str(item) for each in lists if isinstance(each, list) for item in each)
    return ConflictError(f"{where} reported a conflict: {_format_detail(problem)}", names)


def _read_problem(response: httpx.Response) -> Mapping[str, Any]:
    try:
        body = response.json()
    except ValueError:
        body = None
    return body if isinstance(body, Mapping) else {}


def _format_detail(problem: Mapping[str, Any]) -> str:
    """Return the detail and errors of an RFC 9457 document, or a substitute."""
    detail = str(problem.get("detail") or problem.get("title") or "no reason given.")
    errors = problem.get("errors")
    if isinstance(errors, list) and errors:
        # The detail often quotes the first one.
        messages = [
            text for text in map(_format_error, errors) if text not in detail.replace(": ", " ")
        ]
        shown = messages[:SHOWN_ERRORS]
        if len(messages) > SHOWN_ERRORS:
            shown.append(f"and {len(messages) - SHOWN_ERRORS} more")
        detail = f"{detail} ({'; '.join(shown)})" if shown else detail
    return printable(detail[:LONGEST_DETAIL])


def _format_error(error: Any) -> str:  # noqa: ANN401 - Raw JSON of any shape.
    if not isinstance(error, Mapping):
        return str(error)
    where = error.get("pointer") or error.get("path") or error.get("field") or ""
    return f"{where} {error.get('detail') or error.get('message') or ''}".strip()
