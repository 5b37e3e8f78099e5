"""How a GitHub App proves who it is, and gets the tokens of one installation.

https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app
"""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Lock
from typing import Final

import jwt
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from visual_review.hosts.access import checked_token
from visual_review.hosts.errors import HostAccessError, HostMissingError
from visual_review.hosts.github.schemas import Installation as InstallationShape
from visual_review.hosts.github.schemas import InstallationToken
from visual_review.hosts.http import HostClient, path
from visual_review.kernel.clock import now

# GitHub refuses a proof that is valid for more than ten minutes, or begins in its future.
PROOF_LIFETIME: Final = timedelta(minutes=9)
CLOCKS_DIFFER: Final = timedelta(minutes=1)
# Tokens last an hour; a call that begins with one must not see its end.
RENEWED_BEFORE: Final = timedelta(minutes=5)


class AppAccess:
    """Knows the app itself: each call carries a fresh proof signed with its private key."""

    def __init__(self, app_id: str, private_key: str) -> None:
        self._app_id = checked_token(app_id)
        self._key = read_key(private_key)

    def headers(self) -> Mapping[str, str]:
        moment = now()
        claims = {
            "iat": int((moment - CLOCKS_DIFFER).timestamp()),
            "exp": int((moment + PROOF_LIFETIME).timestamp()),
            "iss": self._app_id,
        }
        return {"Authorization": f"Bearer {jwt.encode(claims, self._key, 'RS256')}"}

    def renew(self) -> bool:
        return False


def read_key(text: str) -> RSAPrivateKey:
    """The key GitHub gave as a PEM file; line breaks may be written as two characters.

    Raises HostRefusedError for anything else.
    """
    pem = text.strip().replace("\\n", "\n")
    try:
        key = load_pem_private_key(pem.encode(), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, RSAPrivateKey):
        # Nothing of the text is quoted, and no cause kept: it may well be most of a key.
        raise HostAccessError(
            "The private key of the app cannot be read. Paste the whole .pem file that GitHub "
            "made, with its first and its last line."
        ) from None
    return key


class InstallationTokens:
    """The tokens of all installations this process speaks for, kept until shortly before their end.

    Jobs open a host anew each time; without it, each would ask for a token of its own.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: dict[str, tuple[str, datetime]] = {}

    def find(self, key: str) -> str | None:
        with self._lock:
            token, ends = self._kept.get(key, ("", now()))
        return token if ends - RENEWED_BEFORE > now() else None

    def keep(self, key: str, token: str, ends: datetime) -> None:
        with self._lock:
            self._kept[key] = (token, ends)

    def forget(self, key: str, token: str) -> None:
        """Only this one: another thread may have put a new one in its place."""
        with self._lock:
            if self._kept.get(key, ("",))[0] == token:
                del self._kept[key]


_TOKENS: Final = InstallationTokens()


class Installation:
    """One installation of an app, asked about by the app itself.

    Raises HostRefusedError when it was removed or suspended.
    """

    def __init__(self, client: HostClient, number: str) -> None:
        self._client = client
        self._number = number.strip()

    def login(self) -> str:
        """Of the account that comments for the app."""
        with self._expected():
            found = self._client.get(self._place(), InstallationShape)
        if found.suspended_at is not None:
            raise HostAccessError(
                f"The installation {self._number} of the app is suspended at the host."
            )
        return f"{found.app_slug}[bot]"

    def new_token(self) -> InstallationToken:
        place = f"{self._place()}/access_tokens"
        with self._expected():
            # Twice asked is two tokens, and the one we do not learn of ends by itself.
            return self._client.send("POST", place, {}, InstallationToken, repeatable=True)

    def close(self) -> None:
        self._client.close()

    def _place(self) -> str:
        return path("app", "installations", self._number)

    @contextmanager
    def _expected(self) -> Iterator[None]:
        try:
            yield
        except HostMissingError as error:
            raise HostAccessError(
                f"The app has no installation {self._number} at the host. Install it again, and "
                "enter the new number in the settings under 'Source host'."
            ) from error


class InstallationAccess:
    """Knows one installation by its tokens; ``secret`` tells whose they are in this process."""

    def __init__(self, installation: Installation, secret: str) -> None:
        self._installation = installation
        self._key = hashlib.sha256(secret.encode()).hexdigest()
        self._used = ""

    def headers(self) -> Mapping[str, str]:
        self._used = _TOKENS.find(self._key) or self._ask()
        return {"Authorization": f"Bearer {self._used}"}

    def renew(self) -> bool:
        _TOKENS.forget(self._key, self._used)
        return True

    def _ask(self) -> str:
        given = self._installation.new_token()
        token = checked_token(given.token)
        _TOKENS.keep(self._key, token, given.expires_at)
        return token
