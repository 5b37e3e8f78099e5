"""The embedded PostgreSQL: created, started, watched and stopped here, with a private socket.

The service's role is no superuser. The superuser created by ``initdb`` has no password, so no one
can sign in as superuser; its work is done before the server starts, by a single process without
connections.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from secrets import token_hex, token_urlsafe
from shutil import rmtree
from typing import LiteralString, Self

import psycopg
from psycopg import sql

from visual_review.config.environment import StartupError
from visual_review.config.standalone.parent_death import ends_with_parent
from visual_review.config.standalone.postgres_folder import (
    DATABASE,
    ROLE,
    SOCKET_NOTE,
    SUPERUSER,
    PostgresFolder,
)
from visual_review.config.standalone.postgres_programs import MAJOR

UNFINISHED = "cluster.new"
START_SECONDS = 120
STOP_SECONDS = 60
LEFTOVER_SECONDS = 10
POLL_SECONDS = 0.02
SETTINGS: Mapping[str, str] = {
    "listen_addresses": "",
    "max_connections": "200",
    # Statements and details contain personal data and hashes of secrets; logs must not.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "logging_collector": "on",
    "log_directory": "log",
    "log_filename": "postgresql-%a.log",
    "log_rotation_age": "1d",
    "log_truncate_on_rotation": "on",
}
# An error in these statements must not show them: the statements contain the password.
QUIET = ("log_min_error_statement=panic", "log_error_verbosity=terse", "log_min_messages=error")
# Without the option, the program would go on after an error.
STRICT = "exit_on_error=on"
CREATE_ROLE = """DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = {role}) THEN CREATE ROLE {name}; END IF;
END $$"""
SET_RIGHTS = """ALTER ROLE {name}
    LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD {password}"""
CREATE_DATABASE = "CREATE DATABASE {database} OWNER {name}"
ROLE_STATEMENTS = (CREATE_ROLE, SET_RIGHTS)
# The server's messages are English, because of LC_ALL.
NO_DATABASE = f'database "{DATABASE}" does not exist'
RunServer = Callable[[Sequence[str], str], "subprocess.CompletedProcess[str]"]
CHECK_INTERVAL_SECONDS = 2.0
# After the loss of a backend, the server ends the others within five seconds and recovers.
SILENCE_LIMIT_SECONDS = 15.0
CONNECT_SECONDS = 2
RECOVERING = "startup"
LIMIT_MARKS = ("too many clients", "too many connections", "remaining connection slots")


@dataclass
class EmbeddedPostgres(PostgresFolder):
    """A PostgreSQL server in a folder; the server runs as the owner of the folder.

    ``settings`` extends or overrides SETTINGS.
    """

    process: "subprocess.Popen[bytes] | None" = field(init=False, default=None)

    @classmethod
    def in_prepared(cls, place: PostgresFolder) -> Self:
        """Return the server of a prepared folder."""
        server = cls(place.folder, place.password, place.settings)
        server.socket = place.socket
        return server

    @classmethod
    def attach(cls, folder: Path, password: str) -> Self:
        """Return the server started by another process in ``folder``."""
        server = cls(folder, password)
        note = server.sibling_path(SOCKET_NOTE)
        if note.exists():
            server.socket = Path(note.read_text())
        return server

    def start(self) -> None:
        """Create a missing database, start the server, and wait until the server is ready."""
        self.prepare()
        programs = self.find_programs()
        if not self.exists():
            self._initialize(programs)
        self._check_version()
        self._end_leftover(programs)
        run = partial(self.run_single, programs)
        prepare_roles(run, self.cluster, self.password)
        self.launch(programs)
        self._wait_until_ready(time.monotonic() + START_SECONDS)

    def launch(self, programs: Path) -> None:
        command = [str(programs / "postgres"), "-D", str(self.cluster), "-k", str(self.socket)]
        for name, value in {**SETTINGS, **self.settings}.items():
            command += ["-c", f"{name}={value}"]
        with self.sibling_path("postgres-start.log").open("wb") as log:
            self.process = subprocess.Popen(  # noqa: S603 - Our program and our settings.
                command,
                cwd=self.folder,
                env=_plain_environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # Ctrl-C in the terminal must reach only the supervisor, which stops all in order.
                start_new_session=True,
                preexec_fn=ends_with_parent(signal.SIGINT),  # noqa: PLW1509 - One thread runs here.
                **self.account.options(),
            )

    def run_single(
        self, programs: Path, arguments: Sequence[str], text: str
    ) -> "subprocess.CompletedProcess[str]":
        """Run the server's program without connections, with ``text`` as the input."""
        return subprocess.run(  # noqa: S603 - Our program and our settings.
            [str(programs / "postgres"), *arguments],
            cwd=self.folder,
            env=_plain_environment(),
            input=text,
            capture_output=True,
            text=True,
            check=False,
            start_new_session=True,
            preexec_fn=ends_with_parent(signal.SIGTERM),
            **self.account.options(),
        )

    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def stop(self) -> None:
        """Stop in order: open connections are closed, committed transactions are kept."""
        if self.process is not None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.send_signal(signal.SIGQUIT)
                self.process.wait()
            self.process = None
        self.remove_socket_folder()

    def _initialize(self, programs: Path) -> None:
        secret = self.sibling_path("postgres-password.new")
        secret.unlink(missing_ok=True)
        with os.fdopen(os.open(secret, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
            # For the superuser, who loses the password before the first start.
            file.write(token_urlsafe())
        self.account.give_ownership(secret)
        # The rename at the end makes sure that no incomplete cluster is used. Processes of an
        # interrupted start may still write to its folder or delete it, so each start has its own.
        self._remove_unfinished()
        fresh = self.folder / f"{UNFINISHED}{token_hex(8)}"
        command = [str(programs / "initdb"), "-D", str(fresh), "-U", SUPERUSER]
        command += ["--auth=scram-sha-256", f"--pwfile={secret}", "--encoding=UTF8"]
        try:
            # Sorting by bytes is the same on every machine and after updates.
            done = subprocess.run(  # noqa: S603 - Our program and our settings.
                [*command, "--locale=C.UTF-8", "--locale-provider=builtin", "--no-instructions"],
                cwd=self.folder,
                env=_plain_environment(),
                capture_output=True,
                text=True,
                check=False,
                start_new_session=True,
                # An orphan would go on, and at SIGTERM delete its folder first.
                preexec_fn=ends_with_parent(signal.SIGKILL),
                **self.account.options(),
            )
        finally:
            secret.unlink()
        if done.returncode:
            raise StartupError(f"The database could not be created in {self.folder}: {done.stderr}")
        fresh.rename(self.cluster)
        # Interrupted processes have ended by now.
        self._remove_unfinished()

    def _remove_unfinished(self) -> None:
        for folder in self.folder.glob(f"{UNFINISHED}*"):
            rmtree(folder, ignore_errors=True)

    def _check_version(self) -> None:
        found = (self.cluster / "PG_VERSION").read_text().strip()
        if found != str(MAJOR):
            raise StartupError(
                f"The database in {self.folder} was created by PostgreSQL {found}, but this "
                f"version uses PostgreSQL {MAJOR}. Make a backup with the version of Visual Review that "
                "created it ('visual-review backup'), then restore it into a new data folder."
            )

    def _end_leftover(self, programs: Path) -> None:
        # Only a server whose supervisor was killed can still run here: the folder is locked.
        if not (self.cluster / "postmaster.pid").exists():
            return
        # A server stopped during recovery may wait forever. An immediate stop loses no committed
        # transaction: the next start recovers.
        for mode in ("fast", "immediate"):
            command = [str(programs / "pg_ctl"), "stop", "-D", str(self.cluster), "-m", mode]
            done = subprocess.run(  # noqa: S603 - Our program and our settings.
                [*command, "-w", "-t", str(LEFTOVER_SECONDS)],
                cwd=self.folder,
                env=_plain_environment(),
                capture_output=True,
                check=False,
                **self.account.options(),
            )
            if done.returncode == 0:
                return

    def _wait_until_ready(self, deadline: float) -> None:
        while True:
            try:
                psycopg.connect(self.url).close()
            except psycopg.OperationalError as error:
                if self.process is not None and self.process.poll() is not None:
                    raise StartupError(self._failure_message("ended immediately")) from error
                if time.monotonic() > deadline:
                    self.stop()
                    raise StartupError(self._failure_message("did not become ready")) from error
            else:
                return
            time.sleep(POLL_SECONDS)

    def _failure_message(self, what: str) -> str:
        tail = self.sibling_path("postgres-start.log").read_text(errors="replace")[-2000:]
        return (
            f"PostgreSQL {what} in {self.folder}. Its last output (more in "
            f"{self.cluster / 'log'}):\n{tail}"
        )


def _plain_environment() -> dict[str, str]:
    # The user's PG* variables must not affect the server, nor may the server get our secrets.
    return {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"}


def prepare_roles(run: RunServer, cluster: Path, password: str) -> None:
    """Create or update the role and its database.

    ``run`` starts the program ``postgres`` with arguments and an input. Repeatable.
    """
    statements = _compose(ROLE_STATEMENTS, password)
    done = run_alone(run, cluster, DATABASE, statements, STRICT)
    if done.returncode and NO_DATABASE in done.stderr:
        # The last step, so that the next start notices an interruption before it.
        statements = _compose((*ROLE_STATEMENTS, CREATE_DATABASE), password)
        done = run_alone(run, cluster, "postgres", statements, STRICT)
    if done.returncode:
        raise StartupError(
            f"The roles of the database in {cluster} could not be prepared: {done.stderr[-2000:]}"
        )


def run_alone(
    run: RunServer, cluster: Path, database: str, statements: Sequence[str], *settings: str
) -> "subprocess.CompletedProcess[str]":
    """Run statements as the superuser, in a cluster whose server does not run."""
    options = [part for setting in (*QUIET, *settings) for part in ("-c", setting)]
    # With -j, a semicolon and an empty line end a statement.
    text = "".join(f"{statement};\n\n" for statement in statements)
    return run(["--single", "-j", "-D", str(cluster), *options, database], text)


def _compose(statements: Sequence[LiteralString], password: str) -> list[str]:
    names = {
        "role": sql.Literal(ROLE),
        "name": sql.Identifier(ROLE),
        "database": sql.Identifier(DATABASE),
        "password": sql.Literal(password),
    }
    return [sql.SQL(statement).format(**names).as_string(None) for statement in statements]


@dataclass
class PostgresWatchdog:
    """Connects to a running server from time to time; see ``is_stuck``."""

    postgres: EmbeddedPostgres
    silence_limit: float = SILENCE_LIMIT_SECONDS
    last_response: float = field(default_factory=time.monotonic)
    last_check: float = field(default_factory=time.monotonic)

    def is_stuck(self) -> bool:
        """Whether the server is unresponsive for too long and not recovering; call often.

        After kills at bad moments, servers were seen waiting forever for a process that no longer
        exists: such servers refuse every connection and never end.
        """
        now = time.monotonic()
        if now - self.last_check < CHECK_INTERVAL_SECONDS:
            return False
        self.last_check = now
        if self._responds() or self._is_recovering():
            self.last_response = time.monotonic()
        return time.monotonic() - self.last_response > self.silence_limit

    def restart(self) -> None:
        """Kill the server and all its processes, and start the server again, which recovers."""
        process = self.postgres.process
        if process is not None:
            # Children first: a survivor would block the shared memory of the next server.
            for number in (*_children(process.pid), process.pid):
                with suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
            process.wait()
        self.postgres.start()
        self.last_response = self.last_check = time.monotonic()

    def _responds(self) -> bool:
        try:
            psycopg.connect(self.postgres.url, connect_timeout=CONNECT_SECONDS).close()
        except psycopg.OperationalError as error:
            # A server at its limit of connections is alive; the cause has no code, only a text.
            return any(mark in str(error) for mark in LIMIT_MARKS)
        return True

    def _is_recovering(self) -> bool:
        # Replaying a long log takes time, and must not be restarted again and again.
        process = self.postgres.process
        return process is not None and any(
            RECOVERING in _title(number) for number in _children(process.pid)
        )


def _children(pid: int) -> list[int]:
    """Return the IDs of child processes; none on systems without /proc."""
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _title(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    except OSError:
        return ""
