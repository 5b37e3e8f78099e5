"""Sessions in the database, looked up by a digest: a reader of the table cannot use a session.

Django stores the value of the browser's cookie unchanged, so a leaked backup would open every
signed-in account. The table also names the owner of each session, as Django's documentation
suggests, so that people see and end their sessions. The settings name this module.
"""

import hashlib
from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.contrib.sessions.base_session import AbstractBaseSession
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from visual_review.accounts.models import Session

# The column's length in hexadecimal digits: 160 bits, as many as the key has.
DIGEST_LENGTH = 40
# Facts on the sign-in: its time, browser, network and identity at a provider.
SIGN_IN = "sign_in"


def hash_session_key(session_key: str) -> str:
    """Return the value stored in the table instead of the cookie's."""
    return hashlib.sha256(session_key.encode()).hexdigest()[:DIGEST_LENGTH]


class SessionStore(DatabaseStore):
    @classmethod
    def get_model_class(cls) -> type[Session]:
        return Session

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
        assert isinstance(row, Session)  # noqa: S101 - The model above.
        row.session_key = hash_session_key(row.session_key)
        row.user_id = data.get(SESSION_KEY)
        sign_in = data.get(SIGN_IN, {})
        row.identity_id = sign_in.get("identity")
        # Django writes all columns each time, so the facts are kept in the session, too.
        row.started_at = parse_datetime(sign_in.get("at", "")) or timezone.now()
        row.browser, row.network = sign_in.get("browser", ""), sign_in.get("network", "")
        return row

    def delete(self, session_key: str | None = None) -> None:
        key = self.session_key if session_key is None else session_key
        if key is not None:
            super().delete(hash_session_key(key))
