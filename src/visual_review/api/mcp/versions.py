"""Which version of the protocol a message follows, by its headers and members; pure.

Older versions agree on a version in a handshake, and name it in a header. Newer ones name it in
every message, next to the client, and repeat it in headers with the method and the tool.
"""

import binascii
import re
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any, Final

from visual_review.api.mcp.parameters import NEWER_META, check_parameters
from visual_review.api.mcp.protocol import (
    ASSUMED_VERSION,
    HEADER_MISMATCH,
    NEWER_VERSIONS,
    OLDER_VERSIONS,
    UNSUPPORTED_VERSION,
    VERSION_MEMBER,
    ProtocolError,
    is_newer,
)

VERSION_HEADER: Final = "MCP-Protocol-Version"
METHOD_HEADER: Final = "Mcp-Method"
NAME_HEADER: Final = "Mcp-Name"
# The parameter that the header with a name repeats.
NAMED: Final = {"tools/call": "name", "resources/read": "uri", "prompts/get": "name"}
_ENCODED: Final = re.compile(r"=\?base64\?(.*)\?=")


def version_of(message: Mapping[str, Any], headers: Mapping[str, str]) -> str:
    """Return the version of ``message``; names of ``headers`` are in lower case.

    Raises ProtocolError for a version that is not supported, and where headers and members of a
    newer version are missing or do not agree.
    """
    version = headers.get(VERSION_HEADER.lower(), "")
    if not version or version in OLDER_VERSIONS:
        _check_undeclared(message, version)
        return version or ASSUMED_VERSION
    # Nothing is required of notifications, which have no effect here.
    if "id" in message:
        _check_members(message, headers, version)
    if not is_newer(version):
        supported = {"supported": NEWER_VERSIONS, "requested": version}
        raise ProtocolError(UNSUPPORTED_VERSION, "Unsupported protocol version", supported)
    return version


def _check_undeclared(message: Mapping[str, Any], header: str) -> None:
    """Raise ProtocolError for a message of a newer version without its header."""
    declared = _meta_of(message).get(VERSION_MEMBER)
    # Only older versions have the handshake, whatever else it contains.
    if isinstance(declared, str) and declared != header and message["method"] != "initialize":
        raise _mismatch(VERSION_HEADER, "version that the message declares")


def _meta_of(message: Mapping[str, Any]) -> Mapping[str, Any]:
    meta = message.get("params", {}).get("_meta")
    return meta if isinstance(meta, dict) else {}


def _check_members(message: Mapping[str, Any], headers: Mapping[str, str], version: str) -> None:
    meta, method = _meta_of(message), message["method"]
    check_parameters(meta, NEWER_META)
    if meta[VERSION_MEMBER] != version:
        raise _mismatch(VERSION_HEADER, "version that the message declares")
    if headers.get(METHOD_HEADER.lower()) != method:
        raise _mismatch(METHOD_HEADER, "method of the message")
    name = message["params"].get(NAMED.get(method))
    if name is not None and _decoded(headers.get(NAME_HEADER.lower())) != name:
        raise _mismatch(NAME_HEADER, f"'{NAMED[method]}' of the message")


def _mismatch(header: str, what: str) -> ProtocolError:
    return ProtocolError(HEADER_MISMATCH, f"The header '{header}' must name the {what}.")


def _decoded(value: str | None) -> str | None:
    """Return a header's text, which is Base64 where HTTP would not keep it; None if it is not."""
    encoded = _ENCODED.fullmatch(value or "")
    if encoded is None:
        return value
    try:
        data = b64decode(encoded[1], validate=True)
        # Other spellings of the same bytes could pass for another name on the way here.
        return data.decode() if b64encode(data).decode() == encoded[1] else None
    except (binascii.Error, UnicodeDecodeError):
        return None
