"""Created and refused databases, also on the oldest PostgreSQL."""

import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection
from pytest_django.plugin import DjangoDbBlocker

from tests.support.case import Case
from tests.support.servers.in_process_commands import run_in_process
from tests.support.servers.old_database import connected_to, new_database
from tests.support.servers.service import environment, open_folder, run
from tests.support.servers.worker import database_environment
from visual_review.config.environment import StartupError
from visual_review.config.schema_version import BEFORE_RELEASE, check_migrations
from visual_review.config.standalone.os_user import account_for
from visual_review.config.standalone.postgres_programs import programs_for

OWNER = {
    "VISUAL_REVIEW_OWNER_EMAIL": "a@example.com",
    "VISUAL_REVIEW_OWNER_PASSWORD": "a password that is long",
}
RECORD = "INSERT INTO django_migrations (app, name, applied) VALUES (%s, %s, now())"


@pytest.fixture
def empty(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:  # noqa: ARG001 - It starts the server.
    """An empty database, connected to Django."""
    with django_db_blocker.unblock(), new_database("fresh") as name, connected_to(name):
        yield


@pytest.fixture
def copied(older: str, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    with django_db_blocker.unblock(), new_database("copied", older) as name, connected_to(name):
        yield


def execute(statement: str, parameters: Sequence[str] = ()) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)


@pytest.mark.usefixtures("empty")
def test_an_empty_database_is_created_once() -> None:
    done = run_in_process(["migrate"], database_environment())
    assert re.search(r"/setup/\S+", done.out)
    check_migrations()
    call_command("makemigrations", check_changes=True, verbosity=0)
    again = run_in_process(["migrate"], database_environment(**OWNER))
    assert (again.code, again.out) == (0, "")


@pytest.mark.usefixtures("copied")
def test_an_older_database_is_left_to_the_migrations() -> None:
    with pytest.raises(StartupError, match="not at the version"):
        check_migrations()


@pytest.mark.usefixtures("copied")
def test_databases_of_other_versions_are_refused_unchanged(case: Case) -> None:
    for migration, reason in (
        (("builds", "9999_newer"), "used by a newer version"),
        (BEFORE_RELEASE, "start with a new data folder or an empty database"),
    ):
        with case(reason):
            execute(RECORD, migration)
            refused = run_in_process(["migrate"], database_environment())
            assert refused.code == 2
            assert reason in refused.err
            with pytest.raises(StartupError, match=reason):
                check_migrations()
            execute("DELETE FROM django_migrations WHERE app = %s AND name = %s", migration)


# The older programs are next to the service's own.
OLDER = "pginstall"


@pytest.fixture
def url() -> Iterator[str]:
    """The URL of an empty database whose objects are not in the schema ``public``."""
    with open_folder() as folder:
        account = account_for(folder / "cluster")
        programs = programs_for(account, folder / "programs").parents[1] / OLDER / "bin"
        if not account.can_reach(programs / "postgres"):
            pytest.skip("The account of PostgreSQL cannot reach the programs of the wheel.")
        account.give_ownership(folder)

        def run(program: str, *options: str | Path) -> None:
            command = [programs / program, "-D", folder / "cluster", *options]
            subprocess.run(
                command, cwd=folder, check=True, capture_output=True, **account.options()
            )

        run("initdb", "-U", "operator", "--auth=trust", "--encoding=UTF8", "--no-sync")
        listening = f"-c listen_addresses= -c fsync=off -k {folder}"
        run("pg_ctl", "start", "-w", "-l", folder / "log", "-o", listening)
        try:
            where = f"postgresql://operator@/postgres?host={folder}"
            with psycopg.connect(where) as server:
                server.execute("CREATE SCHEMA visual_review")
            yield f"{where}&options=-csearch_path%3Dvisual_review,public"
        finally:
            run("pg_ctl", "stop", "-m", "immediate")


@pytest.mark.deep
def test_a_database_is_created_on_an_older_postgresql(url: str) -> None:
    done = run(
        ["migrate"],
        environment(
            VISUAL_REVIEW_DATABASE_URL=url,
            VISUAL_REVIEW_SECRET_KEY="the key of a test of migrations",
        ),
    )
    assert done.code == 0, done.err
    with psycopg.connect(url) as server:
        (version,) = server.execute(
            "SELECT current_setting('server_version_num')::int"
        ).fetchone() or (0,)
        schemas = server.execute(
            "SELECT DISTINCT schemaname FROM pg_tables"
            " WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
        ).fetchall()
    assert version < 170_000
    assert schemas == [("visual_review",)]
