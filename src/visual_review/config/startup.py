"""Options and checks before a process starts; each error says what is wrong and what to do."""

import logging
import os
from collections.abc import Sequence

import psycopg

from visual_review.config.environment import (
    DATABASE_URL,
    MINIMUM_SECRET_LENGTH,
    PUBLIC_URL,
    SECRET_KEY,
    STORAGE_URL,
    EnvironmentInvalidError,
    StartupError,
    database_settings,
    direct_database_url,
)
from visual_review.config.logs import mask
from visual_review.kernel.blobs import open_store
from visual_review.kernel.errors import StorageFullError, UnavailableError

logger = logging.getLogger(__name__)
CONNECT_SECONDS = 10
PROBE = "probe/start"
VARIABLE_DESCRIPTIONS = {
    DATABASE_URL: "the PostgreSQL database, such as postgresql://user:password@host:5432/visual_review",
    STORAGE_URL: "where images are stored, such as file:///var/lib/visual-review/blobs or s3://bucket",
    SECRET_KEY: "a random string of at least 32 characters, the same for all processes",
}


def check_variables(names: Sequence[str]) -> None:
    """Raise EnvironmentInvalidError for missing or invalid variables."""
    missing = [name for name in names if not os.environ.get(name)]
    if missing:
        lines = "".join(f"\n  {name}: {VARIABLE_DESCRIPTIONS[name]}" for name in missing)
        raise EnvironmentInvalidError(
            f"These environment variables are not set:{lines}\nSet them, or run "
            "'visual-review up', which has its own database and storage."
        )
    secret = os.environ.get(SECRET_KEY, "")
    if SECRET_KEY in names and len(secret) < MINIMUM_SECRET_LENGTH:
        raise EnvironmentInvalidError(
            f"{SECRET_KEY} has {len(secret)} characters; it needs at least "
            f"{MINIMUM_SECRET_LENGTH}. Create one with: python3 -c 'import secrets; print(secrets.token_urlsafe(48))'"
        )
    public = os.environ.get(PUBLIC_URL, "")
    if public and not public.startswith(("http://", "https://")):
        raise EnvironmentInvalidError(
            f"{PUBLIC_URL} is '{public}'. It must be the URL that users open, beginning with "
            "http:// or https://."
        )


def use_direct_database() -> None:
    """Connect this command to PostgreSQL itself: PostgreSQL's own programs work with no pooler."""
    os.environ[DATABASE_URL] = direct_database_url()


def check_database() -> None:
    """Raise StartupError unless the database is a writable PostgreSQL server."""
    url = os.environ[DATABASE_URL]
    database_settings(url)
    try:
        with psycopg.connect(url, connect_timeout=CONNECT_SECONDS) as server:
            row = server.execute("SELECT pg_is_in_recovery()").fetchone()
    except psycopg.Error as error:
        raise StartupError(
            f"Cannot connect to the database at {mask(url)}: {mask(str(error)).strip()}. Check "
            f"that it is running, and check host, port, name, user and password in {DATABASE_URL}."
        ) from error
    if row and row[0]:
        raise StartupError(
            f"The database at {mask(url)} is a read-only standby. "
            f"Set {DATABASE_URL} to the primary."
        )


def check_storage() -> None:
    """Write, read and delete a few bytes; raises StartupError on failure.

    On a full disk, the process starts: reading works, and writing does later.
    """
    url = os.environ[STORAGE_URL]
    try:
        store = open_store(url)
        store.put(PROBE, b"probe")
        store.get(PROBE)
        store.delete([PROBE])
    except StorageFullError as error:
        logger.warning("the storage at %s is full: %s", mask(url), error)
    except (UnavailableError, OSError) as error:
        cause = f" ({mask(str(error.__cause__))[:500]})" if error.__cause__ else ""
        raise StartupError(
            f"Cannot use the storage at {mask(url)}: {error}{cause} Check {STORAGE_URL} and, for "
            "S3, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."
        ) from error
