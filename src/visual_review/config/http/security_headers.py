"""The security headers of every response, and the access log."""

import logging
import time

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

access = logging.getLogger("visual_review.access")
# A year, and not for other hosts of the domain, which may have no https.
STRICT_TRANSPORT = "max-age=31536000"
QUIET_PATHS = frozenset({"/healthz", "/readyz"})


class SecurityHeaders:
    """Middleware: adds the headers that the application did not set, and logs the request."""

    def __init__(self, app: ASGIApp, policy: str, *, https_only: bool = False) -> None:
        self.app = app
        self.defaults = {
            "content-security-policy": policy,
            "x-content-type-options": "nosniff",
            "x-frame-options": "DENY",
            "referrer-policy": "same-origin",
            "cross-origin-opener-policy": "same-origin",
            "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
        }
        if https_only:
            self.defaults["strict-transport-security"] = STRICT_TRANSPORT

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
                headers = MutableHeaders(scope=message)
                for name, value in self.defaults.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            await self.app(scope, receive, send_with_headers)
        finally:
            _log_request(scope, status, time.perf_counter() - start)


def _log_request(scope: Scope, status: int, seconds: float) -> None:
    # Without the query, which may contain the signature of a link.
    if scope["path"] in QUIET_PATHS:
        return
    client = scope.get("client")
    fields = {
        "method": scope["method"],
        "path": scope["path"],
        "status": status,
        "milliseconds": round(seconds * 1000, 1),
        "client": client[0] if client else "",
    }
    access.info(
        "%s %s %s %.0f ms", scope["method"], scope["path"], status, seconds * 1000, extra=fields
    )
