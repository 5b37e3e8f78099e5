"""The security headers of every response, and the access log."""

import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from visual_review.config.http.access_log import log_request

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
