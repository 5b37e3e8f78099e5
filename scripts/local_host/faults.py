"""Troubles of a host as a client meets them over HTTP; only its REST interface has them."""

import asyncio
from dataclasses import dataclass
from typing import Any, Final, Literal

from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

INTERFACE: Final = "/api/v1/"
Kind = Literal["down", "limited", "failing", "slow", "html", "lost", "stuck"]


@dataclass
class Trouble:
    """``kind`` befalls every ``every``-th call, at most ``times`` of them (None: all).

    ``part`` is what a path must hold, ``method`` what a call must be to be met; empty meets all.
    ``seconds`` is how long ``slow`` and ``stuck`` take, and when ``limited`` says to come again. ``down`` ends
    the connection without an answer, ``lost`` does the same after the call was done; ``stuck``
    does the call too, and holds its answer back for so long.
    """

    kind: Kind
    every: int = 1
    times: int | None = None
    part: str = ""
    method: str = ""
    seconds: int = 1
    met: int = 0
    done: int = 0

    def befalls(self, method: str, path: str) -> bool:
        """Whether this call is one of those; counts it."""
        if self.part not in path or self.method not in ("", method):
            return False
        if self.times is not None and self.done >= self.times:
            return False
        self.met += 1
        if self.met % self.every:
            return False
        self.done += 1
        return True


class Troubled:
    """Middleware: has the troubles of the list, which others fill."""

    def __init__(self, app: ASGIApp, troubles: list[Trouble]) -> None:
        self._app = app
        self._troubles = troubles

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(INTERFACE):
            await self._app(scope, receive, send)
            return
        for trouble in self._troubles:
            if trouble.befalls(scope["method"], scope["path"]):
                await self._have(trouble, scope, receive, send)
                return
        await self._app(scope, receive, send)

    async def _have(self, trouble: Trouble, scope: Scope, receive: Receive, send: Send) -> None:
        if trouble.kind == "slow":
            await asyncio.sleep(trouble.seconds)
            await self._app(scope, receive, send)
        elif trouble.kind in ("lost", "stuck"):
            await self._app(scope, receive, _nowhere)
            await asyncio.sleep(trouble.seconds if trouble.kind == "stuck" else 0)
            await _break_off(send)
        elif trouble.kind == "down":
            await _break_off(send)
        else:
            await _answer(trouble)(scope, receive, send)


def _answer(trouble: Trouble) -> Response:
    if trouble.kind == "limited":
        wait = {"Retry-After": str(trouble.seconds)}
        return JSONResponse({"message": "Too many requests"}, 429, wait)
    if trouble.kind == "html":
        return HTMLResponse("<!doctype html><title>Sign in</title><h1>Sign in</h1>")
    return JSONResponse({"message": "Internal server error"}, 500)


async def _nowhere(message: Message) -> None:
    pass


async def _break_off(send: Send) -> None:
    """An answer that promises more than comes: the server then closes the connection."""
    headers: list[Any] = [(b"content-length", b"1000"), (b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
