"""Sessions in the database, looked up by a digest: reading the table does not allow using them.

Django stores the value of the browser's cookie as it is, so that a leaked backup would open
every account that is signed in. The settings name this module.
"""

import hashlib
from typing import Any

from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.contrib.sessions.base_session import AbstractBaseSession
from django.contrib.sessions.models import Session
from django.utils import timezone

# The column's length in hexadecimal digits: 160 bits, as many as the key has.
DIGEST_LENGTH = 40


def hash_session_key(session_key: str) -> str:
    """Return what the table stores instead of the cookie's value."""
    return hashlib.sha256(session_key.encode()).hexdigest()[:DIGEST_LENGTH]


class SessionStore(DatabaseStore):
    def _get_session_from_db(self) -> AbstractBaseSession | None:
        row = Session.objects.filter(
            session_key=hash_session_key(self.session_key or ""), expire_date__gt=timezone.now()
        ).first()
        if row is None:
            # As Django does: a key without a row is never used.
            self._session_key = None
        return row

    def exists(self, session_key: str) -> bool:
        return super().exists(hash_session_key(session_key))

    def create_model_instance(self, data: dict[str, Any]) -> AbstractBaseSession:
        row = super().create_model_instance(data)
        row.session_key = hash_session_key(row.session_key)
        return row

    def delete(self, session_key: str | None = None) -> None:
        key = self.session_key if session_key is None else session_key
        if key is not None:
            super().delete(hash_session_key(key))
