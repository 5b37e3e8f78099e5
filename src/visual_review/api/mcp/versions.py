"""The version of the protocol for a message, by its headers and members; pure.

Older versions agree on a version in a handshake, and name the version in a header. Newer ones name
the version and the client in every message, and repeat the version in headers with the method and
the tool.
"""

import binascii
import re
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from visual_review.api.mcp.protocol import (
    ASSUMED_VERSION,
    CAPABILITIES_MEMBER,
    CLIENT_MEMBER,
    HEADER_MISMATCH,
    INVALID_PARAMS,
    NEWER_VERSIONS,
    OLDER_VERSIONS,
    UNSUPPORTED_VERSION,
    VERSION_MEMBER,
    ProtocolError,
    is_newer,
)

NAMES: Final = {str: "a string", dict: "an object"}


@dataclass(frozen=True)
class Parameter:
    """One member of ``params``; others are ignored, as the protocol demands."""

    name: str
    kind: type[str] | type[dict[str, Any]]
    required: bool = True
    members: "tuple[Parameter, ...]" = ()
    # Of an object: every member, whatever its name.
    has_strings: bool = False


def check_parameters(params: Mapping[str, Any], known: tuple[Parameter, ...]) -> None:
    """Raise ProtocolError for the first parameter missing or of another type."""
    for parameter in known:
        value = params.get(parameter.name)
        if value is None and not parameter.required:
            continue
        if not isinstance(value, parameter.kind):
            raise ProtocolError(
                INVALID_PARAMS,
                f"Invalid request parameters: '{parameter.name}' must be {NAMES[parameter.kind]}.",
            )
        if isinstance(value, dict):
            check_parameters(value, parameter.members)
            _check_strings(parameter, value)


def _check_strings(parameter: Parameter, value: Mapping[str, Any]) -> None:
    if parameter.has_strings and not all(isinstance(member, str) for member in value.values()):
        raise ProtocolError(
            INVALID_PARAMS,
            f"Invalid request parameters: every member of '{parameter.name}' must be a string.",
        )


META: Final = Parameter("_meta", dict, required=False)
CLIENT: Final = (Parameter("name", str), Parameter("version", str))
HANDSHAKE: Final = (
    META,
    Parameter("protocolVersion", str),
    Parameter("capabilities", dict),
    Parameter("clientInfo", dict, members=CLIENT),
)
NONE: Final = (META,)
CURSOR: Final = (META, Parameter("cursor", str, required=False))
CALL: Final = (META, Parameter("name", str), Parameter("arguments", dict, required=False))
PROMPT: Final = (
    META,
    Parameter("name", str),
    Parameter("arguments", dict, required=False, has_strings=True),
)
READ: Final = (META, Parameter("uri", str))
# Newer versions send the following members of '_meta' with every message.
NEWER_META: Final = (
    Parameter(VERSION_MEMBER, str),
    Parameter(CAPABILITIES_MEMBER, dict),
    Parameter(CLIENT_MEMBER, dict, required=False, members=CLIENT),
)


VERSION_HEADER: Final = "MCP-Protocol-Version"
METHOD_HEADER: Final = "Mcp-Method"
NAME_HEADER: Final = "Mcp-Name"
# The header with a name repeats the following parameter.
NAMED: Final = {"tools/call": "name", "resources/read": "uri", "prompts/get": "name"}
_ENCODED: Final = re.compile(r"=\?base64\?(.*)\?=")


def version_of(message: Mapping[str, Any], headers: Mapping[str, str]) -> str:
    """Return the version of ``message``; names of ``headers`` are in lower case.

    Raises ProtocolError for an unsupported version, and for missing or contradictory headers and
    members of a newer version.
    """
    version = headers.get(VERSION_HEADER.lower(), "")
    if not version or version in OLDER_VERSIONS:
        _check_undeclared(message, version)
        return version or ASSUMED_VERSION
    # Notifications need no headers or members, because they have no effect here.
    if "id" in message:
        _check_members(message, headers, version)
    if not is_newer(version):
        supported = {"supported": NEWER_VERSIONS, "requested": version}
        raise ProtocolError(UNSUPPORTED_VERSION, "Unsupported protocol version", supported)
    return version


def _check_undeclared(message: Mapping[str, Any], header: str) -> None:
    """Raise ProtocolError for a message of a newer version without its header."""
    declared = _meta_of(message).get(VERSION_MEMBER)
    # Only older versions have the handshake, whatever else the message contains.
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
    """Return a header's text, possibly in Base64 for HTTP; None if the Base64 is invalid."""
    encoded = _ENCODED.fullmatch(value or "")
    if encoded is None:
        return value
    try:
        data = b64decode(encoded[1], validate=True)
        # Other spellings of the same bytes could pass for another name on the way here.
        return data.decode() if b64encode(data).decode() == encoded[1] else None
    except (binascii.Error, UnicodeDecodeError):
        return None
