"""Errors of the protocol: a request gets one in place of a result."""

from typing import Any


class ProtocolError(Exception):
    """The request cannot be handled; ``code`` is JSON-RPC's, ``data`` more about the error."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:  # noqa: ANN401 - JSON.
        super().__init__(message)
        self.code = code
        self.data = data
