"""One embedded PostgreSQL for a whole run of pytest, shared by its parallel processes.

``python -m tests.servers.embedded PID FILE`` serves until the process PID ends, and writes
its address to FILE once it answers.
"""

import fcntl
import os
import secrets
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from shutil import rmtree

from visual_review.config.postgres import EmbeddedPostgres

# Tests lose nothing by a power cut.
FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
START_SECONDS = 120
CHECKOUT = Path(__file__).resolve().parents[2]


def shared_server(folder: Path, controller: int) -> str:
    """The address of the run's server; the first to ask starts it.

    ``folder`` is common to the run's processes; the server ends with ``controller``.
    """
    address = folder / "postgres.url"
    with (folder / "postgres.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not address.exists():
            _start(address, controller)
    return address.read_text()


def _start(address: Path, controller: int) -> None:
    with address.with_suffix(".log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.servers.embedded", str(controller), str(address)],
            cwd=CHECKOUT,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    deadline = time.monotonic() + START_SECONDS
    while not address.exists():
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(address.with_suffix(".log").read_text())
        time.sleep(0.05)
    # It outlives this process on purpose; nobody waits for it.
    process.returncode = 0


def _serve(controller: int, address: Path) -> None:
    # Not pytest's own folder: that one is closed to the account PostgreSQL runs as for root.
    folder = Path(tempfile.mkdtemp(prefix="visual-review-tests-"))
    folder.chmod(0o711)
    server = EmbeddedPostgres(folder / "postgres", secrets.token_urlsafe(), FAST)
    try:
        server.start()
        ready = address.with_suffix(".new")
        ready.write_text(server.url)
        ready.rename(address)
        while _runs(controller):
            time.sleep(0.3)
    finally:
        server.stop()
        rmtree(folder)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


if __name__ == "__main__":
    _serve(int(sys.argv[1]), Path(sys.argv[2]))
