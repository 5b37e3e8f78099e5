"""The database of ``visual-review up``: a server, watched and restarted, and the schema."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from visual_review.config.errors import StartupError
from visual_review.config.standalone.postgres import EmbeddedPostgres
from visual_review.config.standalone.postgres_folder import PostgresFolder
from visual_review.config.standalone.postgres_watchdog import PostgresWatchdog
from visual_review.kernel.disk_reserve import DiskReserve

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
        if not self.server.is_running():
            if reserve is not None and not reserve.has_room_to_start():
                return
            logger.warning("PostgreSQL ended and is restarted")
            self._restart(self.server.start, reserve)
        elif self.watchdog is not None and self.watchdog.is_stuck():
            logger.warning("PostgreSQL does not respond and is restarted")
            self._restart(self.watchdog.restart, reserve)

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
