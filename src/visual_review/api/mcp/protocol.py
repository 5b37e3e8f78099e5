"""Names, codes and versions of the protocol, as far as the server uses them; pure.

Source: modelcontextprotocol.io. The server does not import the protocol's Python library: the
import alone would take a second of each start, and 30 MB of each web process.
"""

from typing import Any, Final

OLDER_VERSIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
NEWER_VERSIONS: Final = ("2026-07-28",)
# Of messages without the header of their version.
ASSUMED_VERSION: Final = "2025-03-26"

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
# Newer versions have no code of their own for a missing resource.
RESOURCE_NOT_FOUND: Final = -32002
HEADER_MISMATCH: Final = -32020
UNSUPPORTED_VERSION: Final = -32022

# Newer versions send the following members of '_meta' with every message.
VERSION_MEMBER: Final = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_MEMBER: Final = "io.modelcontextprotocol/clientCapabilities"
CLIENT_MEMBER: Final = "io.modelcontextprotocol/clientInfo"
SERVER_MEMBER: Final = "io.modelcontextprotocol/serverInfo"


class ProtocolError(Exception):
    """The request gets an error for a result; ``code`` is the protocol's, ``data`` says more."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:  # noqa: ANN401 - JSON.
        super().__init__(message)
        self.code = code
        self.data = data


def is_newer(version: str) -> bool:
    """Whether messages of ``version`` stand for themselves, without a handshake."""
    return version in NEWER_VERSIONS


def resource_error(message: str, uri: str, version: str) -> ProtocolError:
    """Return the error for a resource that does not exist, with the version's code."""
    code = INVALID_PARAMS if is_newer(version) else RESOURCE_NOT_FOUND
    return ProtocolError(code, message, {"uri": uri})
