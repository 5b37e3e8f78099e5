"""Checks the identity token of a CI job: signed by its issuer, for this service, and now."""

import re
from dataclasses import replace
from typing import Any, Final

import jwt
from django.conf import settings

from visual_review.api.ci.issuer_keys import ALGORITHM, KEYS
from visual_review.kernel.errors import UnauthenticatedError
from visual_review.repositories.identities import NAMED_PATH, known_issuers
from visual_review.repositories.identity_claims import Identity, Issuer, identity_of

# Clocks of CI machines and ours differ a little.
LEEWAY_SECONDS: Final = 30
LONGEST: Final = 16 * 1024
LONGEST_KEY_ID: Final = 500
# Base64 of the beginning of every JSON Web Token: a brace and a quotation mark.
BEGIN: Final = "eyJ"
DOTS: Final = 2
_REPOSITORY_ID: Final = re.compile("repo_[0-9a-z]{26}")


def is_identity_token(text: str) -> bool:
    """Whether it has the form of a JSON Web Token, which no project token has."""
    return text.startswith(BEGIN) and text.count(".") == DOTS


def checked_identity(token: str) -> Identity:
    """The job the token speaks of.

    Raises UnauthenticatedError in words, UnavailableError when the keys cannot be had.
    """
    if len(token) > LONGEST:
        raise _refused("it is too long")
    # Nothing of these is believed before the signature was checked.
    said = _unverified(token)
    issuer, audience = _issuer_named(said.get("iss")), _audience_named(said.get("aud"))
    identity = identity_of(issuer, _verified(token, issuer, audience))
    return replace(identity, named=audience.removeprefix(settings.PUBLIC_URL)[len(NAMED_PATH) :])


def _unverified(token: str) -> dict[str, Any]:
    try:
        said: dict[str, Any] = jwt.decode(token, options={"verify_signature": False})
    except jwt.PyJWTError as error:
        raise _refused("it cannot be read") from error
    return said


def _issuer_named(url: object) -> Issuer:
    for issuer in known_issuers():
        if issuer.url == url:
            return issuer
    raise _refused("its issuer is none that this service knows")


def _audience_named(said: object) -> str:
    """The audience the token must have: one of ours that names a repository, else our address."""
    named = f"{settings.PUBLIC_URL}{NAMED_PATH}"
    if isinstance(said, str) and said.startswith(named):
        if _REPOSITORY_ID.fullmatch(said.removeprefix(named)):
            return said
        raise _refused("its audience names no repository")
    return str(settings.PUBLIC_URL)


def _verified(token: str, issuer: Issuer, audience: str) -> dict[str, Any]:
    header = jwt.get_unverified_header(token)
    # Compared before any key is chosen: neither 'none' nor a shared secret is ever tried.
    if header.get("alg") != ALGORITHM:
        raise _refused(f"it is not signed with {ALGORITHM}")
    key_id = header.get("kid")
    if not isinstance(key_id, str) or not 0 < len(key_id) <= LONGEST_KEY_ID:
        raise _refused("it names no key")
    key = KEYS.key(issuer, key_id)
    if key is None:
        raise _refused("its issuer has published no such key")
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
    for kind, words in _FAULTS:
        if isinstance(error, kind):
            return words
    return "it is not valid"


_FAULTS: Final[tuple[tuple[type[jwt.PyJWTError], str], ...]] = (
    (jwt.ExpiredSignatureError, "it has expired"),
    (jwt.ImmatureSignatureError, "it is not valid yet; is a clock wrong?"),
    (jwt.InvalidAudienceError, "it was not issued for this service (its audience is another)"),
    (jwt.MissingRequiredClaimError, "it lacks a claim that is needed"),
    (jwt.InvalidSignatureError, "its signature is wrong"),
)


def _refused(fault: str) -> UnauthenticatedError:
    return UnauthenticatedError(
        f"The identity token of CI is not accepted: {fault}. Ask the CI provider for one with the "
        f"audience {settings.PUBLIC_URL}."
    )
