"""A data folder with an empty database at this version, created once and copied.

Kept between runs; the name has a hash of every input. One test does a real first start
(``tests/journeys/server/test_up.py``).
"""

import fcntl
import hashlib
import os
import subprocess
import sys
import tempfile
import time
from functools import cache, partial
from pathlib import Path
from shutil import rmtree

from tests.support.servers.service import CHECKOUT, environment
from visual_review.config.standalone.data_folder import database_password, open_data_folder
from visual_review.config.standalone.postgres import EmbeddedPostgres, run_alone
from visual_review.config.standalone.postgres_folder import ROLE
from visual_review.config.standalone.postgres_programs import programs_for

# Tests need no durability.
FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
PREFIX = "visual-review-template"
TESTS_SUPERUSER = "tests"
A_DAY = 86_400
LOCK = ".lock"


def superuser_url(server: EmbeddedPostgres) -> str:
    """Return the URL of a role for creating databases, in a server of a copied cluster."""
    return server.url.replace(f"//{ROLE}:", f"//{TESTS_SUPERUSER}:")


def copy_data_folder(data: Path) -> Path:
    """Create a data folder at ``data`` whose database is migrated and empty."""
    # cp -a keeps the owner of each file, as PostgreSQL requires.
    subprocess.run(["cp", "-a", str(template()), str(data)], check=True)
    return data


def copy_cluster(folder: Path) -> str:
    """Put the migrated server's files below ``folder``; return the password of the role."""
    source = template()
    folder.mkdir(exist_ok=True)
    subprocess.run(["cp", "-a", str(source / "postgres"), str(folder / "postgres")], check=True)
    return database_password(source)


@cache
def template() -> Path:
    """Return the template of the checkout; the first call creates the template."""
    folder = Path(tempfile.gettempdir(), f"{PREFIX}-{os.geteuid()}-{_version()}")
    with folder.with_suffix(LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # Another account could have created the folder.
        if folder.exists() and folder.stat().st_uid == os.geteuid():
            return folder
        _remove_older(folder)
        fresh = folder.with_suffix(".new")
        rmtree(fresh, ignore_errors=True)
        _make(fresh)
        fresh.rename(folder)
    return folder


def _version() -> str:
    """Return a hash of everything the template depends on."""
    sources = CHECKOUT / "src" / "visual_review"
    config = sources / "config"
    files = [
        *sorted(sources.rglob("migrations/*.py")),
        config / "settings.py",
        *sorted((config / "standalone").glob("postgres*.py")),
        config / "standalone" / "data_folder.py",
        CHECKOUT / "uv.lock",
        Path(__file__),
    ]
    digest = hashlib.sha256(sys.version.encode())
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _remove_older(folder: Path) -> None:
    for old in folder.parent.glob(f"{PREFIX}-{os.geteuid()}-*"):
        # A newer one may belong to another checkout whose tests are running.
        if time.time() - old.stat().st_mtime <= A_DAY:
            continue
        if old.is_dir():
            rmtree(old, ignore_errors=True)
        elif old.suffix != LOCK:
            old.unlink()


def _make(folder: Path) -> None:
    opened = open_data_folder(folder)
    server = EmbeddedPostgres(opened.postgres, database_password(folder), FAST)
    try:
        server.start()
        _migrate(server.url)
        server.stop()
        _add_superuser(server)
    finally:
        server.stop()
        opened.lock.close()


def _migrate(url: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "django", "migrate", "--no-input", "--verbosity", "0"],
        cwd=CHECKOUT,
        env=environment(
            DJANGO_SETTINGS_MODULE="visual_review.config.settings",
            VISUAL_REVIEW_DATABASE_URL=url,
        ),
        check=True,
    )


def _add_superuser(server: EmbeddedPostgres) -> None:
    # The service's own superuser has no password.
    programs = programs_for(server.account, server.folder.parent / "programs")
    statement = f"CREATE ROLE {TESTS_SUPERUSER} LOGIN SUPERUSER PASSWORD '{server.password}'"
    run_alone(partial(server.run_single, programs), server.cluster, "postgres", [statement])
