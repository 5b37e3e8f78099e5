"""The security headers of every response, the access log, and the figures and spans of requests."""

import logging
import time
from http import HTTPStatus
from typing import Final

from opentelemetry.trace import Span, SpanKind, StatusCode
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from visual_review.config.http.machine_calls import MCP_PATH, ROUTE
from visual_review.config.http.page_files import PATH as STATIC_PATH
from visual_review.config.logs import ACCESS_LOGGER
from visual_review.kernel.metrics import REQUEST_SECONDS
from visual_review.kernel.tracing import TRACEPARENT, open_span

QUIET_PATHS: Final = frozenset({"/healthz", "/readyz", "/startupz"})
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER: Final = "other"
MESSAGE: Final = "%s %s %s %.0f ms"

access = logging.getLogger(ACCESS_LOGGER)


def log_request(scope: Scope, status: int, seconds: float) -> None:
    # Without the query, since a query may contain the signature of a link.
    path = scope["path"]
    if path in QUIET_PATHS or not access.isEnabledFor(logging.INFO):
        return
    client = scope.get("client")
    values = (scope["method"], path, status, seconds * 1000)
    # Made here: the logger would search for the calling line of code.
    record = logging.LogRecord(ACCESS_LOGGER, logging.INFO, __file__, 0, MESSAGE, values, None)
    record.__dict__.update(
        method=scope["method"],
        path=path,
        status=status,
        milliseconds=round(seconds * 1000, 1),
        client=client[0] if client else "",
    )
    access.handle(record)


def measure_request(scope: Scope, status: int, seconds: float) -> None:
    """Count a response begun so many seconds after its request."""
    if scope["path"] not in QUIET_PATHS:
        REQUEST_SECONDS.labels(method_of(scope), route_of(scope), status).observe(seconds)


def describe_request(span: Span, scope: Scope, status: int) -> None:
    """Name the span by the template of the URL, as OpenTelemetry's conventions require."""
    if span.is_recording():
        method, route = method_of(scope), route_of(scope)
        span.update_name(f"{method} {route}")
        span.set_attributes({"http.request.method": method, "http.route": route})
        span.set_attribute("http.response.status_code", status)
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            span.set_status(StatusCode.ERROR)


def _traceparent(scope: Scope) -> str:
    name = TRACEPARENT.encode()
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")


def method_of(scope: Scope) -> str:
    # A client can make up any method.
    return scope["method"] if scope["method"] in METHODS else OTHER


def route_of(scope: Scope) -> str:
    """Return the template of the URL, without ids."""
    if scope["path"] == MCP_PATH:
        return MCP_PATH
    if scope["path"].startswith(f"{STATIC_PATH}/"):
        return f"{STATIC_PATH}/<path>"
    found = scope["state"].get(ROUTE)
    return OTHER if found is None else f"/{found}"


# A year, and not for other hosts of the domain, which may have no https.
STRICT_TRANSPORT = "max-age=31536000"


class SecurityHeaders:
    """Middleware: adds headers not set by the application, and logs the request."""

    def __init__(self, app: ASGIApp, policy: str, *, https_only: bool = False) -> None:
        self.app = app
        defaults = {
            "content-security-policy": policy,
            "x-content-type-options": "nosniff",
            "x-frame-options": "DENY",
            "referrer-policy": "same-origin",
            "cross-origin-opener-policy": "same-origin",
            "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
        }
        if https_only:
            defaults["strict-transport-security"] = STRICT_TRANSPORT
        self._defaults = [(name.encode(), value.encode()) for name, value in defaults.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start = time.perf_counter()
        status = 0
        # Inner parts add their knowledge of the request to the state.
        scope.setdefault("state", {})

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                measure_request(scope, status, time.perf_counter() - start)
                message["headers"] = self._complete(list(message.get("headers", ())))
            await send(message)

        with open_span(scope["method"], SpanKind.SERVER, _traceparent(scope)) as span:
            try:
                await self.app(scope, receive, send_with_headers)
            finally:
                log_request(scope, status, time.perf_counter() - start)
                describe_request(span, scope, status)

    def _complete(self, headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        present = {name for name, _ in headers}
        return headers + [each for each in self._defaults if each[0] not in present]
