"""The parameters of requests, checked for their types; pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from visual_review.api.mcp.protocol import (
    CAPABILITIES_MEMBER,
    CLIENT_MEMBER,
    INVALID_PARAMS,
    VERSION_MEMBER,
    ProtocolError,
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
    """Raise ProtocolError for the first parameter that is missing or of another type."""
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
# The members of '_meta' that newer versions send with every message.
NEWER_META: Final = (
    Parameter(VERSION_MEMBER, str),
    Parameter(CAPABILITIES_MEMBER, dict),
    Parameter(CLIENT_MEMBER, dict, required=False, members=CLIENT),
)
