"""A new database is created from the snapshot, and is what the migrations make."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection
from pytest_django.plugin import DjangoDbBlocker
from scripts.generate_schema import clean, dump_rows, dump_schema

from tests.support.case import Case
from tests.support.servers.database_environment import database_environment
from tests.support.servers.in_process_commands import run_in_process
from tests.support.servers.old_database import connected_to, new_database
from tests.support.servers.template import made_once
from visual_review.config.environment import DATABASE_URL
from visual_review.config.errors import StartupError
from visual_review.config.schema import preparation, snapshot
from visual_review.config.schema.preparation import SchemaState, prepare_schema
from visual_review.config.schema.snapshot import Snapshot
from visual_review.config.schema_version import check_migrations

TABLES = "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()"
CURRENT = SchemaState(current=True, has_owner=False)
OLDER = SchemaState(current=False, has_owner=False)


@pytest.fixture
def url(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:  # noqa: ARG001 - It starts the server.
    """The URL of an empty database, to which Django is connected."""
    with django_db_blocker.unblock(), new_database("fresh") as name, connected_to(name):
        yield database_environment()[DATABASE_URL]


def describe(url: str) -> str:
    """Return everything that is in the database, but when migrations were applied."""
    with psycopg.connect(url) as server:
        applied = server.execute("SELECT id, app, name FROM django_migrations ORDER BY id")
        recorded = "\n".join(map(str, applied.fetchall()))
    return "\n".join([clean(dump_schema(url)), clean(dump_rows(url)), recorded])


def count_tables(url: str) -> int:
    with psycopg.connect(url) as server:
        ((count,),) = server.execute(TABLES).fetchall()
        return int(count)


def describe_migrated(url: str) -> str:
    """Run all migrations in an empty database."""

    def migrate() -> bytes:
        call_command("migrate", verbosity=0)
        return describe(url).encode()

    return made_once("migrated.sql", migrate).decode()


def test_the_snapshot_makes_what_the_migrations_make(url: str) -> None:
    migrated = describe_migrated(url)
    with new_database("snapshot") as name, connected_to(name):
        copy = database_environment()[DATABASE_URL]
        assert prepare_schema(copy) == CURRENT
        assert describe(copy) == migrated
        # Django finds nothing to do.
        call_command("migrate", check_unapplied=True, verbosity=0)
        call_command("makemigrations", check_changes=True, verbosity=0)


def test_an_empty_database_is_created_once(url: str) -> None:
    assert prepare_schema(url) == CURRENT
    check_migrations()
    done = run_in_process(["migrate"], database_environment())
    assert re.search(r"/setup/\S+", done.out)
    owner = {
        "VISUAL_REVIEW_OWNER_EMAIL": "a@example.com",
        "VISUAL_REVIEW_OWNER_PASSWORD": "a long one",
    }
    assert run_in_process(["migrate"], database_environment(**owner)).code == 0
    assert prepare_schema(url) == SchemaState(current=True, has_owner=True)


def test_simultaneous_starts_create_it_once(url: str) -> None:
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(prepare_schema, [url] * 4)) == [CURRENT] * 4


def test_a_database_that_is_not_empty_is_left_to_the_migrations(url: str, case: Case) -> None:
    for statement in (
        "CREATE TABLE notes (id int)",
        "CREATE TYPE mood AS ENUM ('calm')",
        "CREATE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "CREATE SEQUENCE numbers",
    ):
        with case(statement), new_database("shared") as name, connected_to(name):
            shared = database_environment()[DATABASE_URL]
            with psycopg.connect(shared) as server:
                server.execute(statement)
            before = count_tables(shared)
            assert prepare_schema(shared) == OLDER
            assert count_tables(shared) == before
    assert count_tables(url) == 0


def test_a_failure_in_the_middle_leaves_an_empty_database(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as changed:
        changed.setattr(snapshot, "RECORD", "SELECT %s, %s FROM missing")
        with pytest.raises(psycopg.errors.UndefinedTable):
            prepare_schema(url)
    assert count_tables(url) == 0
    assert prepare_schema(url) == CURRENT


def test_other_versions_of_packages_take_the_migrations(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = Snapshot.read()
    other = Snapshot(known.modules, known.migrations, "of other files")
    with monkeypatch.context() as changed:
        changed.setattr(preparation.Snapshot, "read", lambda: other)
        assert prepare_schema(url) == OLDER
    assert count_tables(url) == 0
    prepare_schema(url)
    more = Snapshot(known.modules, (*known.migrations, ("builds", "9999_more")), known.digest)
    monkeypatch.setattr(preparation.Snapshot, "read", lambda: more)
    assert prepare_schema(url) == OLDER
    # Only Django can decide, and finds nothing missing.
    check_migrations()


def test_an_older_and_a_newer_database_are_recognized(url: str) -> None:
    prepare_schema(url)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('builds', '9999_newer', now())"
        )
    assert prepare_schema(url) == OLDER
    with pytest.raises(StartupError, match="used by a newer version"):
        check_migrations()
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM django_migrations WHERE name = '9999_newer' OR id ="
            " (SELECT max(id) FROM django_migrations WHERE app = 'builds' AND name <> '9999_newer')"
        )
    assert prepare_schema(url) == OLDER
    with pytest.raises(StartupError, match="not at the version"):
        check_migrations()
