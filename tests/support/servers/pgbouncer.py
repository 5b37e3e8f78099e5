"""PgBouncer in transaction mode, with the settings of ``deploy/pgbouncer.ini``."""

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from configparser import ConfigParser
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg

from tests.support.servers.service import CHECKOUT, free_port, wait_until

MISSING = (
    "PgBouncer is not installed, and was not installed with apt-get install pgbouncer, "
    "which needs root and a way to the packages of Debian or Ubuntu."
)
INSTALLATION_SECONDS = 120
# PgBouncer refuses to run as root.
ACCOUNT = "nobody"


def find_pgbouncer() -> str | None:
    """Return the program, after an attempt to install it; None where it cannot be installed."""
    path = f"{os.environ['PATH']}:/usr/sbin"
    found = shutil.which("pgbouncer", path=path)
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(
            ["apt-get", "install", "--yes", "--no-install-recommends", "pgbouncer"],
            capture_output=True,
            timeout=INSTALLATION_SECONDS,
            check=False,
        )
        found = shutil.which("pgbouncer", path=path)
    return found


@dataclass(frozen=True)
class PgBouncer:
    """``url`` leads through the pooler, ``direct_url`` past it."""

    url: str
    direct_url: str
    log: Path

    def show(self, what: str) -> list[dict[str, Any]]:
        """Return the rows of a SHOW command of PgBouncer's console."""
        parts = urlsplit(self.url)
        console = urlunsplit(parts._replace(path="/pgbouncer"))
        with psycopg.connect(
            console,
            autocommit=True,
            row_factory=psycopg.rows.dict_row,
            cursor_factory=psycopg.ClientCursor,
        ) as connection:
            return connection.execute(f"SHOW {what}").fetchall()


@contextmanager
def pgbouncer(program: str, direct_url: str, folder: Path, **changes: str) -> Iterator[PgBouncer]:
    """Run PgBouncer in front of ``direct_url``; ``changes`` replace settings of the example."""
    server, port = urlsplit(direct_url), free_port()
    name = server.path.lstrip("/")
    settings = ConfigParser()
    settings.read(CHECKOUT / "deploy" / "pgbouncer.ini")
    settings["databases"] = {name: f"host={server.hostname} port={server.port} dbname={name}"}
    users, log = folder / "userlist.txt", folder / "pgbouncer.log"
    users.write_text(f'"{server.username}" "{server.password}"\n')
    settings["pgbouncer"].update(
        {
            "listen_port": str(port),
            "auth_file": str(users),
            "admin_users": str(server.username),
            "unix_socket_dir": "",
            **changes,
        }
    )
    path = folder / "pgbouncer.ini"
    with path.open("w") as file:
        settings.write(file)
    for readable in (path, users):
        readable.chmod(0o644)
    account = {} if os.geteuid() else {"user": pwd.getpwnam(ACCOUNT).pw_uid}
    with (
        log.open("wb") as output,
        subprocess.Popen([program, str(path)], stdout=output, stderr=output, **account) as process,  # type: ignore[call-overload]
    ):
        netloc = f"{server.username}:{server.password}@127.0.0.1:{port}"
        running = PgBouncer(urlunsplit(server._replace(netloc=netloc, query="")), direct_url, log)
        try:
            wait_until("PgBouncer accepts connections", lambda: _accepts(running.url))
            yield running
        finally:
            process.kill()


def _accepts(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True
