"""Faults of a Git provider as seen by a client over HTTP, injected into its REST interface."""

import asyncio
from dataclasses import dataclass
from typing import Any, Final, Literal

from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

INTERFACE: Final = "/api/v1/"
Kind = Literal["down", "limited", "failing", "slow", "html", "lost", "stuck"]


@dataclass
class Fault:
    """``kind`` affects every ``every``-th call, at most ``times`` of them (None: all).

    A call is affected if ``part`` is in the path and ``method`` matches; empty matches all.
    ``seconds`` is how long ``slow`` and ``stuck`` take, and the Retry-After of ``limited``.
    ``down`` closes the connection without a response. ``lost`` carries out the call and closes the
    connection without a response; ``stuck`` does the same, but closes the connection ``seconds``
    later.
    """

    kind: Kind
    every: int = 1
    times: int | None = None
    part: str = ""
    method: str = ""
    seconds: int = 1
    matched: int = 0
    injected: int = 0

    def applies_to(self, method: str, path: str) -> bool:
        """Return whether the call is affected, and count the call."""
        if self.part not in path or self.method not in ("", method):
            return False
        if self.times is not None and self.injected >= self.times:
            return False
        self.matched += 1
        if self.matched % self.every:
            return False
        self.injected += 1
        return True


class FaultInjection:
    """Middleware that injects the faults of a list; the control interface changes the list."""

    def __init__(self, app: ASGIApp, faults: list[Fault]) -> None:
        self._app = app
        self._faults = faults

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(INTERFACE):
            await self._app(scope, receive, send)
            return
        for fault in self._faults:
            if fault.applies_to(scope["method"], scope["path"]):
                await self._inject(fault, scope, receive, send)
                return
        await self._app(scope, receive, send)

    async def _inject(self, fault: Fault, scope: Scope, receive: Receive, send: Send) -> None:
        if fault.kind == "slow":
            await asyncio.sleep(fault.seconds)
            await self._app(scope, receive, send)
        elif fault.kind in ("lost", "stuck"):
            await self._app(scope, receive, _discard)
            await asyncio.sleep(fault.seconds if fault.kind == "stuck" else 0)
            await _close_early(send)
        elif fault.kind == "down":
            await _close_early(send)
        else:
            await _error_response(fault)(scope, receive, send)


def _error_response(fault: Fault) -> Response:
    if fault.kind == "limited":
        wait = {"Retry-After": str(fault.seconds)}
        return JSONResponse({"message": "Too many requests"}, 429, wait)
    if fault.kind == "html":
        return HTMLResponse("<!doctype html><title>Sign in</title><h1>Sign in</h1>")
    return JSONResponse({"message": "Internal server error"}, 500)


async def _discard(message: Message) -> None:
    pass


async def _close_early(send: Send) -> None:
    """Send a response shorter than announced: the server then closes the connection."""
    headers: list[Any] = [(b"content-length", b"1000"), (b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
