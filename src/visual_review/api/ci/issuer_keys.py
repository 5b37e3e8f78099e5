"""The published keys of those who issue CI identity tokens, fetched over https and kept a while."""

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

BYTES: Final = 256 * 1024
SECONDS: Final = 5.0
# Keys rotate about monthly; those who issue announce new ones hours before they sign with them.
KEPT_SECONDS: Final = 60 * 60
# A token may name any key, so unknown ones must not make us ask at every call.
PAUSE_SECONDS: Final = 30
# When the issuer is down, the keys that were known go on for a day.
STALE_SECONDS: Final = 24 * 60 * 60
ALGORITHM: Final = "RS256"
NEVER: Final = float("-inf")

logger = logging.getLogger(__name__)


@dataclass
class _Ring:
    """The keys of one issuer; times are of the monotonic clock."""

    keys: dict[str, PyJWK] = field(default_factory=dict)
    fetched_at: float = NEVER
    asked_at: float = NEVER
    lock: Lock = field(default_factory=Lock)


class KeysUnreachableError(Exception):
    """The keys could not be fetched; the message says why."""


class IssuerKeys:
    """Keeps the keys of each issuer; safe to use from several threads."""

    def __init__(
        self,
        fetch: Callable[[str], bytes],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._fetch = fetch
        self._clock = clock
        self._rings: dict[str, _Ring] = {}
        self._lock = Lock()

    def key(self, issuer: Issuer, key_id: str) -> PyJWK | None:
        """The key of that id, None when the issuer has none such.

        Raises UnavailableError while the issuer cannot be asked and its keys are not known.
        """
        with self._lock:
            ring = self._rings.setdefault(issuer.url, _Ring())
        # One thread asks; the others wait for what it learns instead of asking as well.
        with ring.lock:
            moment = self._clock()
            wanted = key_id not in ring.keys or moment - ring.fetched_at > KEPT_SECONDS
            if wanted and moment - ring.asked_at >= PAUSE_SECONDS:
                ring.asked_at = moment
                self._refresh(ring, issuer, moment)
            if moment - ring.fetched_at > STALE_SECONDS:
                raise UnavailableError(
                    f"The keys of {issuer.url} cannot be fetched now, so no identity token of it "
                    "can be checked. Try again later, or use the project token."
                )
            return ring.keys.get(key_id)

    def _refresh(self, ring: _Ring, issuer: Issuer, moment: float) -> None:
        try:
            ring.keys = _keys_in(self._fetch(issuer.keys_url))
        except KeysUnreachableError as error:
            logger.warning("the keys of %s cannot be fetched: %s", issuer.url, error)
        else:
            ring.fetched_at = moment


def _keys_in(body: bytes) -> dict[str, PyJWK]:
    """The keys for signatures by id; raises KeysUnreachableError unless it is a set of keys."""
    try:
        entries = parse_object(body).get("keys")
    except InvalidInputError as error:
        raise KeysUnreachableError(str(error)) from error
    if not isinstance(entries, list):
        raise KeysUnreachableError("the answer is no set of keys")
    found = {}
    for entry in entries:
        if isinstance(entry, dict) and _signs(entry):
            try:
                found[entry["kid"]] = PyJWK(entry, ALGORITHM)
            except jwt.PyJWTError:
                # One key of a new kind must not hide the others.
                continue
    return found


def _signs(entry: dict[str, Any]) -> bool:
    return (
        isinstance(entry.get("kid"), str)
        and entry.get("kty") == "RSA"
        and entry.get("use", "sig") == "sig"
        and entry.get("alg", ALGORITHM) == ALGORITHM
    )


def fetched(url: str) -> bytes:
    """The body at ``url``; https only, no redirect, bounded in time and size.

    The operator named the host, hence it may lie in a private network. Raises
    KeysUnreachableError.
    """
    if not url.startswith("https://"):
        raise KeysUnreachableError("keys are fetched over https only")
    deadline = time.monotonic() + SECONDS
    try:
        with (
            httpx.Client(timeout=SECONDS, follow_redirects=False) as client,
            client.stream("GET", url, headers={"Accept": "application/json"}) as response,
        ):
            if response.status_code != httpx.codes.OK:
                raise KeysUnreachableError(f"the host answered {response.status_code}")
            body = b""
            for chunk in response.iter_bytes():
                body += chunk
                if len(body) > BYTES or time.monotonic() > deadline:
                    raise KeysUnreachableError("the answer is too long or too slow")
            return body
    except httpx.HTTPError as error:
        raise KeysUnreachableError(str(error) or type(error).__name__) from error


KEYS: Final = IssuerKeys(fetched)
