"""A data folder as it is after ``initdb`` and all migrations, made once and copied.

Kept between runs, named by a hash of everything it is made from. One test keeps the true first
start (``tests/journeys/server/test_up.py``).
"""

import fcntl
import hashlib
import os
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from shutil import rmtree

from tests.support.servers.service import CHECKOUT, environment
from visual_review.config.standalone.data_folder import database_password, open_data_folder
from visual_review.config.standalone.postgres import EmbeddedPostgres

# Tests lose nothing by a power cut.
FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
PREFIX = "visual-review-template"
A_DAY = 86_400


def copy_data_folder(data: Path) -> Path:
    """Make ``data`` a data folder whose database is migrated and empty."""
    # Keeps the owner of each file, which PostgreSQL insists on.
    subprocess.run(["cp", "-a", str(template()), str(data)], check=True)
    return data


def copy_cluster(folder: Path) -> str:
    """Put the migrated server's files below ``folder``; answer the password of its role."""
    source = template()
    folder.mkdir(exist_ok=True)
    subprocess.run(["cp", "-a", str(source / "postgres"), str(folder / "postgres")], check=True)
    return database_password(source)


@cache
def template() -> Path:
    """The template of this checkout, made by the first process that asks."""
    folder = Path(tempfile.gettempdir(), f"{PREFIX}-{os.geteuid()}-{_version()}")
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # Another account could have put something there first.
        if folder.exists() and folder.stat().st_uid == os.geteuid():
            return folder
        _remove_older(folder)
        fresh = folder.with_suffix(".new")
        rmtree(fresh, ignore_errors=True)
        _make(fresh)
        fresh.rename(folder)
    return folder


def _version() -> str:
    """A hash of what decides how the template looks."""
    sources = CHECKOUT / "src" / "visual_review"
    config = sources / "config"
    files = [
        *sorted(sources.rglob("migrations/*.py")),
        config / "settings.py",
        config / "standalone" / "postgres.py",
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
        # A younger one may be another checkout's, whose tests run now.
        if old.is_dir() and time.time() - old.stat().st_mtime > A_DAY:
            rmtree(old, ignore_errors=True)


def _make(folder: Path) -> None:
    opened = open_data_folder(folder)
    server = EmbeddedPostgres(opened.postgres, database_password(folder), FAST)
    try:
        server.start()
        subprocess.run(
            [sys.executable, "-m", "django", "migrate", "--no-input", "--verbosity", "0"],
            cwd=CHECKOUT,
            env=environment(
                DJANGO_SETTINGS_MODULE="visual_review.config.settings",
                VISUAL_REVIEW_DATABASE_URL=server.url,
            ),
            check=True,
        )
    finally:
        server.stop()
        opened.lock.close()
