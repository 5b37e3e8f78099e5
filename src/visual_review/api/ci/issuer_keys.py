"""The published keys of the issuers of CI identity tokens, fetched over https and cached."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final

import httpx
import jwt
from jwt import PyJWK

from visual_review.api.json_bodies import parse_object
from visual_review.kernel.errors import InvalidInputError, UnavailableError
from visual_review.repositories.identity_claims import Issuer

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
