"""What the server knows of a request, in the scope that it hands to the application."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import IO, Final

from starlette.types import Scope

KEY: Final = "visual_review.request"


@dataclass(slots=True)
class RequestBody:
    """A complete body of ``size`` bytes; ``close`` gives back its place on the disk, if any."""

    file: IO[bytes]
    size: int
    resources: ExitStack | None = None

    def close(self) -> None:
        if self.resources is not None:
            self.resources.close()


@dataclass(slots=True)
class RequestState:
    """``client``: the network of the client, once it is known, for limits by client.

    ``pipelined``: the request was sent before the response to the one before was complete, which
    browsers never do. ``connected`` becomes False when the client disconnects. ``arrived``: the
    whole body is in memory, so that one message has it.
    """

    client: str = ""
    pipelined: bool = False
    deferred: bool = False
    connected: bool = True
    arrived: bool = False
    body: RequestBody | None = None
    _ended: bool = False
    _callbacks: list[Callable[[], None]] = field(default_factory=list)

    def on_end(self, callback: Callable[[], None]) -> None:
        """Call ``callback`` when a response must not be continued; at once if that is so now."""
        self._callbacks.append(callback)
        if self._ended:
            callback()

    def end(self) -> None:
        """Note that the client disconnected, or that this process is about to end."""
        self._ended = True
        for callback in self._callbacks:
            callback()


def request_state(scope: Scope) -> RequestState:
    """Return the state of a request; a new one under a server that keeps none."""
    found = scope.get(KEY)
    if found is None:
        found = scope[KEY] = RequestState()
    assert isinstance(found, RequestState)  # noqa: S101 - The key is ours.
    return found
