"""A separate PostgreSQL server over TCP with a password, like a team's database server."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import sql

from tests.support.servers.service import free_port
from tests.support.servers.template import FAST, TESTS_SUPERUSER, copy_cluster
from visual_review.config.standalone.postgres import EmbeddedPostgres
from visual_review.config.standalone.postgres_folder import DATABASE

# A role limited to its own database, as offered by hosting providers.
ORDINARY_ROLE = "reviewer"
# A copied database keeps the owner of its tables, types and functions.
CHANGES_OF_OWNER = """
    SELECT format('ALTER TABLE %%s OWNER TO %%I', oid::regclass, %s::text) FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v')
    UNION ALL
    SELECT format('ALTER TYPE %%s OWNER TO %%I', oid::regtype, %s::text) FROM pg_type
    WHERE typnamespace = 'public'::regnamespace AND typtype = 'e'
    UNION ALL
    SELECT format('ALTER ROUTINE %%s OWNER TO %%I', oid::regprocedure, %s::text) FROM pg_proc
    WHERE pronamespace = 'public'::regnamespace
"""


@dataclass(frozen=True)
class TcpPostgres:
    port: int
    password: str

    def new_database(self, name: str, *, migrated: bool = False) -> str:
        """Create a database of an ordinary role, empty or migrated; returns its URL."""
        source = DATABASE if migrated else "template1"
        with psycopg.connect(self.url(TESTS_SUPERUSER, "postgres"), autocommit=True) as server:
            server.execute(
                sql.SQL("CREATE DATABASE {} OWNER {} TEMPLATE {}").format(
                    *map(sql.Identifier, (name, ORDINARY_ROLE, source))
                )
            )
        with psycopg.connect(self.url(TESTS_SUPERUSER, name)) as database:
            for (statement,) in database.execute(CHANGES_OF_OWNER, [ORDINARY_ROLE] * 3).fetchall():
                database.execute(statement)
        return self.url(ORDINARY_ROLE, name)

    def url(self, role: str, database: str) -> str:
        return f"postgresql://{role}:{self.password}@127.0.0.1:{self.port}/{database}"


@contextmanager
def tcp_postgres(folder: Path, **changes: str) -> Iterator[TcpPostgres]:
    """Serve from the empty ``folder`` until the block ends; ``changes`` are settings."""
    password, port = copy_cluster(folder), free_port()
    settings = {**FAST, "listen_addresses": "127.0.0.1", "port": str(port), **changes}
    server = EmbeddedPostgres(folder / "postgres", password, settings)
    server.start()
    try:
        running = TcpPostgres(port, password)
        with psycopg.connect(
            running.url(TESTS_SUPERUSER, "postgres"), autocommit=True
        ) as connection:
            connection.execute(
                sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(
                    sql.Identifier(ORDINARY_ROLE), sql.Literal(password)
                )
            )
        yield running
    finally:
        server.stop()
