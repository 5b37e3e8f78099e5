"""The security headers of every response, and the access log."""

import logging
import time
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from visual_review.config.logs import ACCESS_LOGGER

QUIET_PATHS: Final = frozenset({"/healthz", "/readyz"})
MESSAGE: Final = "%s %s %s %.0f ms"

access = logging.getLogger(ACCESS_LOGGER)


def log_request(scope: Scope, status: int, seconds: float) -> None:
    # Without the query, which may contain the signature of a link.
    path = scope["path"]
    if path in QUIET_PATHS or not access.isEnabledFor(logging.INFO):
        return
    client = scope.get("client")
    values = (scope["method"], path, status, seconds * 1000)
    # Made here: the logger would look for the line of code that calls it.
    record = logging.LogRecord(ACCESS_LOGGER, logging.INFO, __file__, 0, MESSAGE, values, None)
    record.__dict__.update(
        method=scope["method"],
        path=path,
        status=status,
        milliseconds=round(seconds * 1000, 1),
        client=client[0] if client else "",
    )
    access.handle(record)


# A year, and not for other hosts of the domain, which may have no https.
STRICT_TRANSPORT = "max-age=31536000"


class SecurityHeaders:
    """Middleware: adds the headers that the application did not set, and logs the request."""

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

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = self._complete(list(message.get("headers", ())))
            await send(message)

        try:
            await self.app(scope, receive, send_with_headers)
        finally:
            log_request(scope, status, time.perf_counter() - start)

    def _complete(self, headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        present = {name for name, _ in headers}
        return headers + [each for each in self._defaults if each[0] not in present]
