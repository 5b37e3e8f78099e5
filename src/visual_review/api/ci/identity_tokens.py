"""Verifies the identity token of a CI job: signed by its issuer, for this service, not expired."""

import logging
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, Final

import httpx
import jwt
from django.conf import settings
from jwt import PyJWK

from visual_review.api.json_bodies import parse_object
from visual_review.kernel.errors import InvalidInputError, UnauthenticatedError, UnavailableError
from visual_review.repositories.identities import AUDIENCE_PATH, known_issuers
from visual_review.repositories.identity_claims import Identity, Issuer, identity_of

MAX_BYTES: Final = 256 * 1024
TIMEOUT_SECONDS: Final = 5.0
# Keys rotate about monthly; issuers publish new keys hours before signing with them.
CACHE_SECONDS: Final = 60 * 60
# A token may name any key, so unknown ones must not cause a request at every call.
PAUSE_SECONDS: Final = 30
# When the issuer is down, known keys remain valid for a day.
STALE_SECONDS: Final = 24 * 60 * 60
ALGORITHM: Final = "RS256"
NEVER: Final = float("-inf")
logger = logging.getLogger(__name__)
# Clocks of CI machines and ours differ a little.
LEEWAY_SECONDS: Final = 30
MAX_LENGTH: Final = 16 * 1024
MAX_KEY_ID_LENGTH: Final = 500
# Base64 of the beginning of every JSON Web Token: a brace and a quotation mark.
JWT_PREFIX: Final = "eyJ"
JWT_DOTS: Final = 2
_REPOSITORY_ID: Final = re.compile("repo_[0-9a-z]{26}")


class KeysUnreachableError(Exception):
    """The keys could not be fetched; the message says why."""


@dataclass
class _CachedKeys:
    """The keys of one issuer; times are of the monotonic clock."""

    keys: dict[str, PyJWK] = field(default_factory=dict)
    fetched_at: float = NEVER
    requested_at: float = NEVER
    lock: Lock = field(default_factory=Lock)


class IssuerKeys:
    """Caches the keys of each issuer; thread-safe."""

    def __init__(
        self,
        fetch: Callable[[str], bytes],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._fetch = fetch
        self._clock = clock
        self._cached: dict[str, _CachedKeys] = {}
        self._lock = Lock()

    def key(self, issuer: Issuer, key_id: str) -> PyJWK | None:
        """Return the key with this id, or None if the issuer has no such key.

        Raises UnavailableError while the issuer cannot be reached and its keys are not known.
        """
        with self._lock:
            cached = self._cached.setdefault(issuer.url, _CachedKeys())
        # One thread fetches the keys; the other threads wait for the result.
        with cached.lock:
            moment = self._clock()
            wanted = key_id not in cached.keys or moment - cached.fetched_at > CACHE_SECONDS
            if wanted and moment - cached.requested_at >= PAUSE_SECONDS:
                cached.requested_at = moment
                self._refresh(cached, issuer, moment)
            if moment - cached.fetched_at > STALE_SECONDS:
                raise UnavailableError(
                    f"The keys of {issuer.url} cannot be fetched now, so its identity tokens "
                    "cannot be checked. Try again later, or use the project token."
                )
            return cached.keys.get(key_id)

    def _refresh(self, cached: _CachedKeys, issuer: Issuer, moment: float) -> None:
        try:
            cached.keys = _parse_keys(self._fetch(issuer.keys_url))
        except KeysUnreachableError as error:
            logger.warning("the keys of %s cannot be fetched: %s", issuer.url, error)
        else:
            cached.fetched_at = moment


def _parse_keys(body: bytes) -> dict[str, PyJWK]:
    """Return the signing keys by id; raises KeysUnreachableError if the body is no set of keys."""
    try:
        entries = parse_object(body).get("keys")
    except InvalidInputError as error:
        raise KeysUnreachableError(str(error)) from error
    if not isinstance(entries, list):
        raise KeysUnreachableError("the response is not a set of keys")
    found = {}
    for entry in entries:
        if isinstance(entry, dict) and _is_signing_key(entry):
            try:
                found[entry["kid"]] = PyJWK(entry, ALGORITHM)
            except jwt.PyJWTError:
                # One key of an unknown kind must not hide the others.
                continue
    return found


def _is_signing_key(entry: dict[str, Any]) -> bool:
    return (
        isinstance(entry.get("kid"), str)
        and entry.get("kty") == "RSA"
        and entry.get("use", "sig") == "sig"
        and entry.get("alg", ALGORITHM) == ALGORITHM
    )


def fetch_keys(url: str) -> bytes:
    """Fetch the key set at ``url``; https only, no redirects, limited in time and size.

    The operator configured the host, so the host may be in a private network. Raises
    KeysUnreachableError.
    """
    if not url.startswith("https://"):
        raise KeysUnreachableError("keys are fetched over https only")
    deadline = time.monotonic() + TIMEOUT_SECONDS
    try:
        with (
            httpx.Client(timeout=TIMEOUT_SECONDS, follow_redirects=False) as client,
            client.stream("GET", url, headers={"Accept": "application/json"}) as response,
        ):
            if response.status_code != httpx.codes.OK:
                raise KeysUnreachableError(f"the host returned {response.status_code}")
            body = b""
            for chunk in response.iter_bytes():
                body += chunk
                if len(body) > MAX_BYTES or time.monotonic() > deadline:
                    raise KeysUnreachableError("the response is too large or too slow")
            return body
    except httpx.HTTPError as error:
        raise KeysUnreachableError(str(error) or type(error).__name__) from error


KEYS: Final = IssuerKeys(fetch_keys)


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
