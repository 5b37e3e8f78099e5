"""What an authorization request must hold beyond what the OAuth library looks at; pure."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

# The only parameters we read: what else a client sends changes nothing here.
KNOWN: Final = (
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
# What it is the digest of (RFC 7636, 4.1): shorter ones could be guessed.
_VERIFIER: Final = re.compile(r"[A-Za-z0-9._~-]{43,128}")

Parameters = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Fault:
    """An error of RFC 6749 or RFC 8707, with words for the client's author."""

    error: str
    description: str


def request_fault(parameters: Parameters, is_ours: Callable[[str], bool]) -> Fault | None:
    """What is wrong with an authorization request whose client and redirect are known."""
    return challenge_fault(parameters) or resource_fault(parameters, is_ours)


def challenge_fault(parameters: Parameters) -> Fault | None:
    challenges = parameters.get("code_challenge", ())
    methods = parameters.get("code_challenge_method", ())
    if list(methods) != ["S256"]:
        return Fault("invalid_request", "code_challenge_method must be S256, given once.")
    if len(challenges) != 1 or not _S256.fullmatch(challenges[0]):
        return Fault("invalid_request", "code_challenge must be a SHA-256 digest in base64url.")
    return None


def is_verifier(text: str) -> bool:
    return _VERIFIER.fullmatch(text) is not None


def resource_fault(parameters: Parameters, is_ours: Callable[[str], bool]) -> Fault | None:
    """Without ``resource`` the answer is for the only one there is."""
    if all(is_ours(text) for text in parameters.get("resource", ())):
        return None
    return Fault("invalid_target", "This server issues tokens for its own MCP endpoint only.")


def repeated(parameters: Parameters) -> Fault | None:
    """RFC 6749 forbids to give a parameter twice, and RFC 8707 allows it for ``resource``."""
    for name, values in parameters.items():
        if len(values) > 1 and name != "resource":
            return Fault("invalid_request", f"The parameter '{name[:40]}' is given twice.")
    return None
