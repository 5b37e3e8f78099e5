"""A new database on an older PostgreSQL, which the operator runs: the oldest one of the wheel."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.support.servers.service import environment, open_folder, run
from visual_review.config.standalone.os_user import account_for
from visual_review.config.standalone.postgres_programs import programs_for

# Its programs are next to those that the service uses.
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
