"""The database of ``visual-review up``: its server, watched and restarted, and its schema."""

import logging
from dataclasses import dataclass, field

from visual_review.config.standalone.postgres import EmbeddedPostgres
from visual_review.config.standalone.postgres_folder import PostgresFolder
from visual_review.config.standalone.postgres_watchdog import PostgresWatchdog

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

    def keep_running(self) -> None:
        """Restart the server if it ended or does not respond; call this often."""
        if not self.server.is_running():
            logger.warning("PostgreSQL ended and is restarted")
            self.server.start()
        elif self.watchdog is not None and self.watchdog.is_stuck():
            logger.warning("PostgreSQL does not respond and is restarted")
            self.watchdog.restart()

    def stop(self) -> None:
        self.server.stop()
