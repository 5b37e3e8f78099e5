"""Verifies the identity token of a CI job: signed by its issuer, for this service, not expired."""

import re
from dataclasses import replace
from typing import Any, Final

import jwt
from django.conf import settings

from visual_review.api.ci.issuer_keys import ALGORITHM, KEYS
from visual_review.kernel.errors import UnauthenticatedError
from visual_review.repositories.identities import AUDIENCE_PATH, known_issuers
from visual_review.repositories.identity_claims import Identity, Issuer, identity_of

# Clocks of CI machines and ours differ a little.
LEEWAY_SECONDS: Final = 30
MAX_LENGTH: Final = 16 * 1024
MAX_KEY_ID_LENGTH: Final = 500
# Base64 of the beginning of every JSON Web Token: a brace and a quotation mark.
JWT_PREFIX: Final = "eyJ"
JWT_DOTS: Final = 2
_REPOSITORY_ID: Final = re.compile("repo_[0-9a-z]{26}")


def is_identity_token(text: str) -> bool:
    """Whether ``text`` has the form of a JSON Web Token, which no project token has."""
    return text.startswith(JWT_PREFIX) and text.count(".") == JWT_DOTS


def verify_identity_token(token: str) -> Identity:
    """Return the identity of the token's CI job.

    Raises UnauthenticatedError, or UnavailableError if the keys cannot be fetched.
    """
    if len(token) > MAX_LENGTH:
        raise _refused("it is too long")
    # No claim is trusted before the signature is verified.
    claims = _decode_unverified(token)
    issuer, audience = _find_issuer(claims.get("iss")), _expected_audience(claims.get("aud"))
    identity = identity_of(issuer, _verify(token, issuer, audience))
    return replace(
        identity, requested_id=audience.removeprefix(settings.PUBLIC_URL)[len(AUDIENCE_PATH) :]
    )


def _decode_unverified(token: str) -> dict[str, Any]:
    try:
        claims: dict[str, Any] = jwt.decode(token, options={"verify_signature": False})
    except jwt.PyJWTError as error:
        raise _refused("it cannot be read") from error
    return claims


def _find_issuer(url: object) -> Issuer:
    for issuer in known_issuers():
        if issuer.url == url:
            return issuer
    raise _refused("this service does not know its issuer")


def _expected_audience(audience: object) -> str:
    """Return the audience the token must have: with a repository of ours, or our own URL."""
    prefix = f"{settings.PUBLIC_URL}{AUDIENCE_PATH}"
    if isinstance(audience, str) and audience.startswith(prefix):
        if _REPOSITORY_ID.fullmatch(audience.removeprefix(prefix)):
            return audience
        raise _refused("its audience does not name a repository")
    return str(settings.PUBLIC_URL)


def _verify(token: str, issuer: Issuer, audience: str) -> dict[str, Any]:
    header = jwt.get_unverified_header(token)
    # Checked before a key is chosen: neither 'none' nor a shared secret is ever used.
    if header.get("alg") != ALGORITHM:
        raise _refused(f"it is not signed with {ALGORITHM}")
    key_id = header.get("kid")
    if not isinstance(key_id, str) or not 0 < len(key_id) <= MAX_KEY_ID_LENGTH:
        raise _refused("it does not name a key")
    key = KEYS.key(issuer, key_id)
    if key is None:
        raise _refused("its issuer has not published such a key")
    try:
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=[ALGORITHM],
            audience=audience,
            issuer=issuer.url,
            leeway=LEEWAY_SECONDS,
            options={"require": ["exp", "iat", "iss", "aud", "sub"]},
        )
    except jwt.PyJWTError as error:
        raise _refused(_fault(error)) from error
    return claims


def _fault(error: jwt.PyJWTError) -> str:
    for kind, message in _FAULTS:
        if isinstance(error, kind):
            return message
    return "it is not valid"


_FAULTS: Final[tuple[tuple[type[jwt.PyJWTError], str], ...]] = (
    (jwt.ExpiredSignatureError, "it has expired"),
    (jwt.ImmatureSignatureError, "it is not valid yet; is a clock wrong?"),
    (jwt.InvalidAudienceError, "it was not issued for this service (its audience is different)"),
    (jwt.MissingRequiredClaimError, "it lacks a required claim"),
    (jwt.InvalidSignatureError, "its signature is wrong"),
)


def _refused(fault: str) -> UnauthenticatedError:
    return UnauthenticatedError(
        f"The identity token of CI is not accepted: {fault}. Request one with the audience "
        f"{settings.PUBLIC_URL}{AUDIENCE_PATH}<id> from the CI provider; the settings of the "
        "repository in this service show its audience."
    )
