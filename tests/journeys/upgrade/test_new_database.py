"""Which databases are created, and which are refused."""

import re
from collections.abc import Iterator, Sequence

import pytest
from django.core.management import call_command
from django.db import connection
from pytest_django.plugin import DjangoDbBlocker

from tests.support.case import Case
from tests.support.servers.database_environment import database_environment
from tests.support.servers.in_process_commands import run_in_process
from tests.support.servers.old_database import connected_to, new_database
from visual_review.config.errors import StartupError
from visual_review.config.schema_version import BEFORE_RELEASE, check_migrations

OWNER = {
    "VISUAL_REVIEW_OWNER_EMAIL": "a@example.com",
    "VISUAL_REVIEW_OWNER_PASSWORD": "a password that is long",
}
RECORD = "INSERT INTO django_migrations (app, name, applied) VALUES (%s, %s, now())"


@pytest.fixture
def empty(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:  # noqa: ARG001 - It starts the server.
    """An empty database, to which Django is connected."""
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
