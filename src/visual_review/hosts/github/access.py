"""Authenticates a GitHub App, and gets the tokens of one installation.

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

from visual_review.hosts.access import validate_token
from visual_review.hosts.errors import HostAccessError, HostMissingError
from visual_review.hosts.github.schemas import Installation as InstallationShape
from visual_review.hosts.github.schemas import InstallationToken
from visual_review.hosts.http import HostClient, quote_path
from visual_review.kernel.clock import now

# GitHub rejects a JWT with more than ten minutes of validity, or a start in GitHub's future.
JWT_LIFETIME: Final = timedelta(minutes=9)
CLOCK_TOLERANCE: Final = timedelta(minutes=1)
# Tokens are valid for an hour; one must not expire during a call.
RENEWED_BEFORE: Final = timedelta(minutes=5)


class AppAccess:
    """Authenticates as the app: each call carries a new JWT signed with its private key."""

    def __init__(self, app_id: str, private_key: str) -> None:
        self._app_id = validate_token(app_id)
        self._key = parse_private_key(private_key)

    def headers(self) -> Mapping[str, str]:
        moment = now()
        claims = {
            "iat": int((moment - CLOCK_TOLERANCE).timestamp()),
            "exp": int((moment + JWT_LIFETIME).timestamp()),
            "iss": self._app_id,
        }
        return {"Authorization": f"Bearer {jwt.encode(claims, self._key, 'RS256')}"}

    def renew(self) -> bool:
        return False


def parse_private_key(text: str) -> RSAPrivateKey:
    """Return the key from GitHub's PEM file; line breaks may be escaped as backslash and n.

    Raises HostAccessError for anything else.
    """
    pem = text.strip().replace("\\n", "\n")
    try:
        key = load_pem_private_key(pem.encode(), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, RSAPrivateKey):
        # The error neither quotes the text nor has a cause: both may contain most of a key.
        raise HostAccessError(
            "The private key of the app cannot be read. Paste the whole .pem file from GitHub, "
            "with its first and its last line."
        ) from None
    return key


class InstallationTokens:
    """The tokens of all installations used by the process, cached until shortly before expiry.

    Each job creates a new client; without the cache, each would request its own token.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._cached: dict[str, tuple[str, datetime]] = {}

    def find(self, key: str) -> str | None:
        with self._lock:
            token, expires_at = self._cached.get(key, ("", now()))
        return token if expires_at - RENEWED_BEFORE > now() else None

    def store(self, key: str, token: str, expires_at: datetime) -> None:
        with self._lock:
            self._cached[key] = (token, expires_at)

    def forget(self, key: str, token: str) -> None:
        """Remove only ``token``: another thread may have stored a new one."""
        with self._lock:
            if self._cached.get(key, ("",))[0] == token:
                del self._cached[key]


_TOKENS: Final = InstallationTokens()


class Installation:
    """One installation of an app, accessed as the app.

    Raises HostAccessError for a removed or suspended installation.
    """

    def __init__(self, client: HostClient, number: str) -> None:
        self._client = client
        self._number = number.strip()

    def login(self) -> str:
        """Return the login of the account commenting for the app."""
        with self._missing_as_access_error():
            found = self._client.get(self._path(), InstallationShape)
        if found.suspended_at is not None:
            raise HostAccessError(
                f"The installation {self._number} of the app is suspended at GitHub."
            )
        return f"{found.app_slug}[bot]"

    def organization(self) -> str:
        """Return the login of the organization; empty for a person's installation."""
        with self._missing_as_access_error():
            account = self._client.get(self._path(), InstallationShape).account
        return account.login if account and account.type == "Organization" else ""

    def create_token(self) -> InstallationToken:
        path = f"{self._path()}/access_tokens"
        with self._missing_as_access_error():
            # A retry creates two tokens, and the one we never receive expires by itself.
            return self._client.send("POST", path, {}, InstallationToken, retryable=True)

    def close(self) -> None:
        self._client.close()

    def _path(self) -> str:
        return quote_path("app", "installations", self._number)

    @contextmanager
    def _missing_as_access_error(self) -> Iterator[None]:
        try:
            yield
        except HostMissingError as error:
            raise HostAccessError(
                f"The app has no installation {self._number} at GitHub. Install it again, and "
                "enter the new installation ID in the settings under 'Git provider'."
            ) from error


class InstallationAccess:
    """Authenticates as one installation; ``secret`` identifies its tokens in the process."""

    def __init__(self, installation: Installation, secret: str) -> None:
        self._installation = installation
        self._key = hashlib.sha256(secret.encode()).hexdigest()
        self._current_token = ""

    def headers(self) -> Mapping[str, str]:
        self._current_token = _TOKENS.find(self._key) or self._request_token()
        return {"Authorization": f"Bearer {self._current_token}"}

    def renew(self) -> bool:
        _TOKENS.forget(self._key, self._current_token)
        return True

    def _request_token(self) -> str:
        created = self._installation.create_token()
        token = validate_token(created.token)
        _TOKENS.store(self._key, token, created.expires_at)
        return token
