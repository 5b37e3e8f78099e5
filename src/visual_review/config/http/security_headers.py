"""What every answer carries for its safety, and the access log."""

import logging
import time
from collections.abc import Sequence

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

access = logging.getLogger("visual_review.access")
QUIET_PATHS = frozenset({"/healthz", "/readyz"})


def content_policy(origins: Sequence[str]) -> str:
    """The Content-Security-Policy: no inline script or style; pictures from ``origins`` too."""
    pictures = " ".join(dict.fromkeys(["'self'", "data:", "blob:", *origins]))
    return "; ".join(
        (
            "default-src 'self'",
            f"img-src {pictures}",
            f"media-src {pictures}",
            f"connect-src {pictures}",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        )
    )


class SecurityHeaders:
    """Middleware: adds the headers an application did not set itself, and notes the request."""

    def __init__(self, app: ASGIApp, policy: str) -> None:
        self.app = app
        self.defaults = {
            "content-security-policy": policy,
            "x-content-type-options": "nosniff",
            "x-frame-options": "DENY",
            "referrer-policy": "same-origin",
            "cross-origin-opener-policy": "same-origin",
            "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began = time.perf_counter()
        status = 0

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in self.defaults.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            await self.app(scope, receive, sending)
        finally:
            _note(scope, status, time.perf_counter() - began)


def _note(scope: Scope, status: int, seconds: float) -> None:
    # The query is left out: it may hold the signature of a link, which opens what it names.
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
