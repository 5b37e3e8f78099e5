"""One embedded PostgreSQL for a whole run of pytest, shared by its parallel processes.

``python -m tests.support.servers.shared_postgres PID FILE`` serves until the process PID ends, and
writes the server's URL to FILE once ready.
"""

import fcntl
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from shutil import rmtree

from tests.support.servers.service import CHECKOUT
from tests.support.servers.template import FAST, copy_cluster, superuser_url
from visual_review.config.standalone.postgres import EmbeddedPostgres

START_SECONDS = 120


def shared_postgres(folder: Path, controller: int) -> str:
    """Return the URL of the run's migrated database; the first call starts the server.

    ``folder`` is shared by the run's processes; the server ends with ``controller``.
    """
    url = folder / "postgres.url"
    with (folder / "postgres.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not url.exists():
            _start(url, controller)
    return url.read_text()


def _start(url: Path, controller: int) -> None:
    with url.with_suffix(".log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(controller), str(url)],
            cwd=CHECKOUT,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    deadline = time.monotonic() + START_SECONDS
    while not url.exists():
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(url.with_suffix(".log").read_text())
        time.sleep(0.05)
    # The server outlives this process on purpose and ends with the controller.
    process.returncode = 0


def _serve(controller: int, url: Path) -> None:
    # Not pytest's own folder, out of reach for PostgreSQL's account when tests run as root.
    folder = Path(tempfile.mkdtemp(prefix="visual-review-tests-"))
    folder.chmod(0o711)
    server = EmbeddedPostgres(folder / "postgres", copy_cluster(folder), FAST)
    try:
        server.start()
        ready = url.with_suffix(".new")
        ready.write_text(superuser_url(server))
        ready.rename(url)
        while _is_running(controller):
            time.sleep(0.3)
    finally:
        server.stop()
        rmtree(folder)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


if __name__ == "__main__":
    _serve(int(sys.argv[1]), Path(sys.argv[2]))
