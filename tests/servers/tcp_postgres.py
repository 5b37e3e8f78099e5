"""A PostgreSQL of its own over TCP with a password, as a team's database server is."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import sql

from tests.servers.embedded import FAST
from tests.servers.service import free_port
from visual_review.config.postgres import ROLE, EmbeddedPostgres

# What may do no more than work in a database of its own, as hosts give it out.
ORDINARY_ROLE = "reviewer"


@dataclass(frozen=True)
class TcpPostgres:
    port: int
    password: str

    def new_database(self, name: str) -> str:
        """An empty database that an ordinary role owns; its address."""
        with psycopg.connect(self._address(ROLE, "postgres"), autocommit=True) as server:
            server.execute(
                sql.SQL("CREATE DATABASE {} OWNER {}").format(
                    sql.Identifier(name), sql.Identifier(ORDINARY_ROLE)
                )
            )
        return self._address(ORDINARY_ROLE, name)

    def _address(self, role: str, database: str) -> str:
        return f"postgresql://{role}:{self.password}@127.0.0.1:{self.port}/{database}"


@contextmanager
def tcp_postgres(folder: Path) -> Iterator[TcpPostgres]:
    """Serve from the empty ``folder`` until the block ends."""
    password, port = secrets.token_urlsafe(), free_port()
    settings = {**FAST, "listen_addresses": "127.0.0.1", "port": str(port)}
    server = EmbeddedPostgres(folder / "postgres", password, settings)
    server.start()
    try:
        served = TcpPostgres(port, password)
        with psycopg.connect(served._address(ROLE, "postgres"), autocommit=True) as connection:  # noqa: SLF001 - Its own module.
            connection.execute(
                sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(
                    sql.Identifier(ORDINARY_ROLE), sql.Literal(password)
                )
            )
        yield served
    finally:
        server.stop()
