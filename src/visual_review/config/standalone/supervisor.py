"""``visual-review up``: PostgreSQL, migrations, web and worker as children of one supervisor."""

import logging
import os
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from urllib.error import URLError
from urllib.request import urlopen

from visual_review.config.environment import (
    BACKUPS,
    DATABASE_URL,
    DIRECT_DATABASE_URL,
    DISK_RESERVE,
    PUBLIC_URL,
    SECRET_KEY,
    STORAGE_URL,
    WORK_FOLDER,
    StartupError,
    read_reserve_bytes,
)
from visual_review.config.http.listener import LISTENER_VARIABLE, bind
from visual_review.config.standalone import privileges
from visual_review.config.standalone.child_processes import (
    SOLE_WORKER,
    Child,
    filter_environment,
    owner_variables,
)
from visual_review.config.standalone.data_folder import (
    DataFolder,
    database_password,
    open_as_account,
    secret_key,
    storage_url,
    write_stamp,
)
from visual_review.config.standalone.first_start import (
    FirstStart,
    MigrationFailedError,
    begin_start,
)
from visual_review.config.standalone.postgres import EmbeddedPostgres, PostgresWatchdog
from visual_review.config.standalone.postgres_folder import PostgresFolder
from visual_review.config.standalone.postgres_programs import embedded_version, prefixed_path
from visual_review.kernel.disk_reserve import DiskReserve

STEP_SECONDS = 0.1
READY_SECONDS = 120
ROOM_SECONDS = 0.5
# The web process and the worker have shorter grace periods of their own.
WEB_STOP_SECONDS = 15.0
WORKER_STOP_SECONDS = 30.0
WILDCARDS = {"": "localhost", "0.0.0.0": "localhost", "::": "localhost"}  # noqa: S104 - Names, not a bind.
logger = logging.getLogger(__name__)


@dataclass
class EmbeddedDatabase:
    """The server in ``place``."""

    place: PostgresFolder
    server: EmbeddedPostgres = field(init=False)
    watchdog: PostgresWatchdog | None = None

    def __post_init__(self) -> None:
        self.server = EmbeddedPostgres.in_prepared(self.place)

    def start(self) -> None:
        self.server.start()
        self.watchdog = PostgresWatchdog(self.server)

    def keep_running(self, reserve: DiskReserve | None = None) -> None:
        """Restart a server that ended or does not respond; call often.

        On a full disk, the server starts again as soon as the disk has room.
        """
        is_running = self.server.is_running()
        if is_running and not (self.watchdog is not None and self.watchdog.is_stuck()):
            return
        if reserve is not None:
            # PostgreSQL may have filled the disk since the last look.
            reserve.adjust()
            if not reserve.has_room_to_start():
                return
        if is_running and self.watchdog is not None:
            logger.warning("PostgreSQL does not respond and is restarted")
            self._restart(self.watchdog.restart, reserve)
        else:
            logger.warning("PostgreSQL ended and is restarted")
            self._restart(self.server.start, reserve)

    @staticmethod
    def _restart(restart: Callable[[], None], reserve: DiskReserve | None) -> None:
        try:
            restart()
        except StartupError:
            # The room may have gone meanwhile; any other reason ends the service.
            if reserve is None or not reserve.is_full():
                raise
            logger.exception("PostgreSQL cannot start while the disk is full")

    def stop(self) -> None:
        self.server.stop()


class StopRequestedError(BaseException):
    """A signal requested a stop; no handler of ordinary exceptions may catch this error."""


@dataclass
class Supervisor:
    """Runs everything on one machine; ``run`` returns the exit code."""

    data: Path
    host: str
    port: int
    public_url: str
    ending: bool = False
    children: list[Child] = field(default_factory=list)
    database: "EmbeddedDatabase | None" = None
    first_start: FirstStart | None = None
    reserve: DiskReserve | None = None
    _adjusted: float = field(default=0.0)

    def run(self) -> int:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            # Under nohup the signal is ignored, and must stay ignored.
            signal.signal(signal.SIGHUP, self._on_signal)
        _say(f"Starting Visual Review with the data folder {self.data.absolute()}")
        try:
            # Only root may use some ports, and root is given up next.
            listener = _try_to_bind(self.host, self.port)
            folder = open_as_account(self.data)
            privileges.harden()
            # Reported now: an error about a folder in use is more helpful than one about its port.
            if isinstance(listener, StartupError):
                raise listener
            return self._serve(folder, listener)
        except StopRequestedError:
            return 0
        except MigrationFailedError as error:
            return error.code
        finally:
            self.ending = True
            self._stop()

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        # A second signal must not interrupt the shutdown.
        if not self.ending:
            self.ending = True
            raise StopRequestedError

    def _serve(self, folder: DataFolder, listener: socket.socket) -> int:
        self.reserve = self._make_reserve(folder)
        self._wait_for_room()
        place = PostgresFolder(folder.postgres, database_password(folder.path))
        place.prepare()
        environment = self._environment(folder, listener, place.url)
        # The backup before an upgrade uses PostgreSQL's own program.
        environment["PATH"] = prefixed_path(place.find_programs())
        # The fork server imports the modules of web and worker while PostgreSQL starts.
        self.first_start = begin_start(environment, listener)
        _say("Starting the database" if place.exists() else "Creating the database")
        self.database = EmbeddedDatabase(place)
        self.database.start()
        _say("Migrating the database")
        self.first_start.begin_migration(owner_variables(os.environ))
        _forget_owner()
        self.children = self._make_children(environment, listener)
        link = self.first_start.finish_migration()
        write_stamp(folder.path)
        self._start_children(self.first_start)
        self._wait_until_ready(listener)
        self._greet(folder, listener, link)
        while True:
            time.sleep(STEP_SECONDS)
            self._keep_running()

    def _environment(
        self, folder: DataFolder, listener: socket.socket, database_url: str
    ) -> dict[str, str]:
        return {
            **filter_environment(os.environ),
            DATABASE_URL: database_url,
            DIRECT_DATABASE_URL: database_url,
            STORAGE_URL: storage_url(folder.path),
            SECRET_KEY: secret_key(folder.path),
            # The system's folder for temporary files is often in memory.
            WORK_FOLDER: os.environ.get(WORK_FOLDER) or str(folder.path / "work"),
            BACKUPS: os.environ.get(BACKUPS) or str(folder.path / "backups"),
            PUBLIC_URL: self.public_url or _local_url(self.host, listener),
            **({DISK_RESERVE: str(self.reserve.path)} if self.reserve else {}),
        }

    @staticmethod
    def _make_reserve(folder: DataFolder) -> DiskReserve | None:
        size = read_reserve_bytes()
        return DiskReserve(folder.path / "disk-reserve", size) if size else None

    def _wait_for_room(self) -> None:
        """Wait until PostgreSQL can start; the reserve is given back for the start."""
        if self.reserve is None:
            return
        self.reserve.adjust()
        if self.reserve.has_room_to_start():
            return
        _say(
            f"The disk of {self.data.absolute()} is full, {self.reserve.missing_megabytes()} MB are "
            "missing. Waiting for room."
        )
        while not self.reserve.has_room_to_start():
            time.sleep(ROOM_SECONDS)
        self.reserve.adjust()

    @staticmethod
    def _make_children(environment: dict[str, str], listener: socket.socket) -> list[Child]:
        number = listener.fileno()
        web_environment = {**environment, LISTENER_VARIABLE: str(number)}
        web = Child("web", ["web"], web_environment, WEB_STOP_SECONDS, [number])
        worker = Child("worker", ["worker", SOLE_WORKER], environment, WORKER_STOP_SECONDS)
        return [web, worker]

    def _start_children(self, start: FirstStart) -> None:
        _say("Starting the web process and the worker")
        start.start_children(self.children)

    def _keep_running(self) -> None:
        if self.reserve is not None and time.monotonic() > self._adjusted + ROOM_SECONDS:
            self._adjusted = time.monotonic()
            self.reserve.adjust()
        if self.database is not None:
            self.database.keep_running(self.reserve)
        for child in self.children:
            child.keep_running()

    def _wait_until_ready(self, listener: socket.socket) -> None:
        # On a full disk, the service starts for readers, and waits for room.
        url = f"{_local_url(self.host, listener)}/readyz?exclude=disk"
        deadline = time.monotonic() + READY_SECONDS
        while not _is_ready(url):
            self._keep_running()
            if time.monotonic() > deadline:
                raise StartupError(
                    f"The service did not become ready within {READY_SECONDS} seconds. Fix the "
                    "errors in its output above, then run it again."
                )
            time.sleep(STEP_SECONDS)

    def _greet(self, folder: DataFolder, listener: socket.socket, link: str) -> None:
        url = self.public_url or _local_url(self.host, listener)
        lines = [
            f"Visual Review is ready at {url}",
            f"Data folder: {folder.path} (embedded PostgreSQL {embedded_version()})",
        ]
        if link:
            lines += ["Open this link once to create the owner and the organization:", f"  {link}"]
        if self.host in WILDCARDS and not self.public_url:
            lines += ["To open it from other machines, set the URL they use with --public-url."]
        _say("\n".join([*lines, "Press Ctrl-C to stop."]))

    def _stop(self) -> None:
        if self.first_start is not None:
            self.first_start.stop()
        for child in self.children:
            child.stop()
        if self.database is not None:
            self.database.stop()


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - For the user who starts the service.


def _forget_owner() -> None:
    # A later reader of the process's environment must not find the password.
    for name in owner_variables(os.environ):
        del os.environ[name]


def _try_to_bind(host: str, port: int) -> socket.socket | StartupError:
    try:
        return bind(host, port)
    except StartupError as error:
        return error


def _local_url(host: str, listener: socket.socket) -> str:
    name = WILDCARDS.get(host, host)
    return f"http://{f'[{name}]' if ':' in name else name}:{listener.getsockname()[1]}"


def _is_ready(url: str) -> bool:
    try:
        with urlopen(url, timeout=5) as response:  # noqa: S310 - Our own http URL.
            return bool(response.status == 200)  # noqa: PLR2004 - HTTP's OK.
    except (URLError, OSError):
        return False
