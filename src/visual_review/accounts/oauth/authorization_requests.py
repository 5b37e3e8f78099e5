"""Checks of authorization and token requests missing in the OAuth library; pure."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

# The only parameters we read; all others are ignored.
KNOWN_PARAMETERS: Final = (
    "response_type",
    "client_id",
    "redirect_uri",
    "scope",
    "state",
    "code_challenge",
    "code_challenge_method",
)
# SHA-256 in base64url without padding (RFC 7636, 4.2).
_S256: Final = re.compile(r"[A-Za-z0-9_-]{43}")
# The code verifier (RFC 7636, 4.1); shorter ones could be guessed.
_VERIFIER: Final = re.compile(r"[A-Za-z0-9._~-]{43,128}")

Parameters = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class ErrorResponse:
    """An error of RFC 6749 or RFC 8707, described for the developer of the client."""

    error: str
    description: str


def find_request_error(
    parameters: Parameters, is_ours: Callable[[str], bool]
) -> ErrorResponse | None:
    """Return the error of an authorization request whose client and redirect URI are valid."""
    return find_code_challenge_error(parameters) or find_resource_error(parameters, is_ours)


def find_code_challenge_error(parameters: Parameters) -> ErrorResponse | None:
    challenges = parameters.get("code_challenge", ())
    methods = parameters.get("code_challenge_method", ())
    if list(methods) != ["S256"]:
        return ErrorResponse("invalid_request", "code_challenge_method must be S256, sent once.")
    if len(challenges) != 1 or not _S256.fullmatch(challenges[0]):
        return ErrorResponse(
            "invalid_request", "code_challenge must be a SHA-256 digest in base64url."
        )
    return None


def is_verifier(text: str) -> bool:
    return _VERIFIER.fullmatch(text) is not None


def find_resource_error(
    parameters: Parameters, is_ours: Callable[[str], bool]
) -> ErrorResponse | None:
    """Return an error for a foreign resource; ``resource`` may be omitted."""
    if all(is_ours(text) for text in parameters.get("resource", ())):
        return None
    return ErrorResponse(
        "invalid_target", "This server issues tokens for its own MCP endpoint only."
    )


def find_repeated_parameter(parameters: Parameters) -> ErrorResponse | None:
    """Return an error for a repeated parameter (RFC 6749); ``resource`` may repeat (RFC 8707)."""
    for name, values in parameters.items():
        if len(values) > 1 and name != "resource":
            return ErrorResponse("invalid_request", f"The parameter '{name[:40]}' is repeated.")
    return None
