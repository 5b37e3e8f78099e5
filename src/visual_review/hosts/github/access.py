"""How a GitHub App proves who it is, and gets the tokens of one installation.

https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app
"""

import hashlib
from collections.abc import Mapping
from datetime import datetime, timedelta
from threading import Lock
from typing import Final

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from visual_review.hosts.access import checked_token
from visual_review.hosts.errors import HostMissingError, HostRefusedError
from visual_review.hosts.github.shapes import InstallationToken
from visual_review.hosts.http import HostClient, path
from visual_review.kernel.clock import now

# GitHub refuses a proof that is valid for more than ten minutes, or begins in its future.
PROOF_LASTS: Final = timedelta(minutes=9)
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
            "exp": int((moment + PROOF_LASTS).timestamp()),
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
    except (ValueError, TypeError):
        key = None
    if not isinstance(key, RSAPrivateKey):
        # Nothing of the text is quoted, and no cause kept: it may well be most of a key.
        raise HostRefusedError(
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


class InstallationAccess:
    """Knows one installation of an app; ``app`` is a client with the app's own proof."""

    def __init__(self, app: HostClient, api: str, credentials: Mapping[str, str]) -> None:
        self._app = app
        self._installation = credentials["installation_id"].strip()
        parts = (api, *(credentials[name] for name in ("app_id", "installation_id", "private_key")))
        self._key = hashlib.sha256("\n".join(parts).encode()).hexdigest()
        self._used = ""

    def headers(self) -> Mapping[str, str]:
        self._used = _TOKENS.find(self._key) or self._ask()
        return {"Authorization": f"Bearer {self._used}"}

    def renew(self) -> bool:
        _TOKENS.forget(self._key, self._used)
        return True

    def _ask(self) -> str:
        place = path("app", "installations", self._installation, "access_tokens")
        try:
            # Twice asked is two tokens, and the one we do not learn of ends by itself.
            given = self._app.send("POST", place, {}, InstallationToken, repeatable=True)
        except HostMissingError as error:
            raise HostRefusedError(
                f"The app has no installation {self._installation} any more. Install it again, "
                "and enter the new number in the settings under 'Source host'."
            ) from error
        token = checked_token(given.token)
        _TOKENS.keep(self._key, token, given.expires_at)
        return token
