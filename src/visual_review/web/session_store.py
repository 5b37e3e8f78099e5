"""Sessions in the database, found by a digest: who reads the table cannot take one over.

Django stores what the browser's cookie holds as it is, so that a backup in wrong hands would
open every account that is signed in. This module is named in the settings.
"""

import hashlib
from typing import Any

from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.contrib.sessions.base_session import AbstractBaseSession
from django.contrib.sessions.models import Session
from django.utils import timezone

# The column's length in hexadecimal digits: 160 bits, and the key has as many.
LENGTH = 40


def digest_of(session_key: str) -> str:
    """What the table holds in place of the cookie's value."""
    return hashlib.sha256(session_key.encode()).hexdigest()[:LENGTH]


class SessionStore(DatabaseStore):
    def _get_session_from_db(self) -> AbstractBaseSession | None:
        row = Session.objects.filter(
            session_key=digest_of(self.session_key or ""), expire_date__gt=timezone.now()
        ).first()
        if row is None:
            # As Django does: a key without a row is given to nobody.
            self._session_key = None
        return row

    def exists(self, session_key: str) -> bool:
        return super().exists(digest_of(session_key))

    def create_model_instance(self, data: dict[str, Any]) -> AbstractBaseSession:
        row = super().create_model_instance(data)
        row.session_key = digest_of(row.session_key)
        return row

    def delete(self, session_key: str | None = None) -> None:
        key = self.session_key if session_key is None else session_key
        if key is not None:
            super().delete(digest_of(key))
