"""Writes large responses in parts, so that the time limit of a write is a rate."""

from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

PART_BYTES: Final = 64 * 1024


class SendParts:
    """Middleware: splits large messages; the server waits for the client between the parts."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_parts(message: Message) -> None:
            body = message.get("body", b"")
            if len(body) <= PART_BYTES:
                await send(message)
                return
            rest = memoryview(body)
            while len(rest) > PART_BYTES:
                part = bytes(rest[:PART_BYTES])
                await send({"type": "http.response.body", "body": part, "more_body": True})
                rest = rest[PART_BYTES:]
            await send({**message, "body": bytes(rest)})

        await self.app(scope, receive, send_parts)
