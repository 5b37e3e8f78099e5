"""The service's role in its own PostgreSQL: an injected statement reaches the database, no more."""

from collections.abc import Iterator
from functools import partial
from typing import Final

import psycopg
import pytest

from tests.support.case import Case
from tests.support.servers.service import open_folder
from tests.support.servers.template import FAST, copy_cluster
from visual_review.config.standalone.postgres import STRICT, EmbeddedPostgres, run_alone
from visual_review.config.standalone.postgres_folder import DATABASE, ROLE, SUPERUSER
from visual_review.config.standalone.postgres_programs import programs_for

BEYOND_THE_DATABASE: Final = (
    "COPY (SELECT 1) TO PROGRAM 'true'",
    "COPY (SELECT 1) TO '/tmp/visual-review-attack'",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT lo_import('/etc/passwd')",
    "CREATE ROLE intruder SUPERUSER",
    f"ALTER ROLE {ROLE} SUPERUSER",
    f"SET ROLE {SUPERUSER}",
    "CREATE DATABASE intruder",
    "SET session_replication_role = replica",
    "ALTER SYSTEM SET archive_command = 'true'",
    "SELECT rolpassword FROM pg_authid",
)


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddedPostgres]:
    with open_folder() as folder:
        password = copy_cluster(folder)
        postgres = EmbeddedPostgres(folder / "postgres", password, FAST)
        run = partial(postgres.run_single, programs_for(postgres.account, folder / "programs"))
        wrong = f"ALTER ROLE intruder PASSWORD '{password}'"
        refused = run_alone(run, postgres.cluster, DATABASE, [wrong], STRICT)
        assert refused.returncode
        assert password not in refused.stdout + refused.stderr
        try:
            postgres.start()
            yield postgres
        finally:
            postgres.stop()


def test_the_role_can_do_nothing_beyond_its_database(server: EmbeddedPostgres, case: Case) -> None:
    with psycopg.connect(server.url, autocommit=True) as connection:
        for statement in BEYOND_THE_DATABASE:
            with case(statement), pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement)


def test_no_one_can_sign_in_as_the_superuser(server: EmbeddedPostgres) -> None:
    url = server.url.replace(f"//{ROLE}:", f"//{SUPERUSER}:")
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(url)


def test_the_role_does_what_migrations_backups_and_restores_do(server: EmbeddedPostgres) -> None:
    with psycopg.connect(server.url) as connection:
        connection.execute("CREATE TABLE fresh (id int)")
        connection.execute("ALTER TABLE accounts_user ADD COLUMN fresh int")
        connection.execute("ALTER TABLE procrastinate_jobs DISABLE TRIGGER USER")
        connection.execute("TRUNCATE procrastinate_jobs CASCADE")
        connection.rollback()
