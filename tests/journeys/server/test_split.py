"""The same program split: migrate, web and worker on a given database and S3 storage."""

import json
import signal
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from tests.support.case import Case
from tests.support.servers.in_process_commands import run_in_process
from tests.support.servers.s3 import S3Server
from tests.support.servers.service import (
    OWNER,
    Process,
    answers,
    environment,
    free_port,
    run,
    wait_until,
)
from tests.support.servers.tcp_postgres import TcpPostgres
from tests.support.servers.worker import database_environment

SECRET_KEY = "a secret key of the tests, long enough for any use"
COMMANDS = {"web": ["web", "--port", "0"], "worker": ["worker"], "migrate": ["migrate"]}


@dataclass(frozen=True)
class SplitInstallation:
    """The common settings of all processes of one installation."""

    database: str
    env: dict[str, str]
    bucket: str


# Tests that change the database run first, and would end a fixture of module scope.
@pytest.fixture(scope="package")
def split(postgres: TcpPostgres, s3: S3Server) -> SplitInstallation:
    """A migrated installation; a restore migrates an empty database of an ordinary role."""
    database = postgres.new_database("first", migrated=True)
    env = environment(
        VISUAL_REVIEW_DATABASE_URL=database,
        VISUAL_REVIEW_STORAGE_URL=s3.new_bucket("first"),
        VISUAL_REVIEW_SECRET_KEY=SECRET_KEY,
        **s3.credentials,
    )
    return SplitInstallation(database, env, "first")


@pytest.fixture
def own_env(blobs_folder: Path) -> dict[str, str]:
    """The environment of commands in this process, on the test's database."""
    return database_environment(
        VISUAL_REVIEW_STORAGE_URL=blobs_folder.as_uri(), VISUAL_REVIEW_SECRET_KEY=SECRET_KEY
    )


def test_the_web_process_does_not_start_before_the_migration(
    postgres: TcpPostgres, split: SplitInstallation
) -> None:
    empty = postgres.new_database("empty_for_web")
    refused = run(COMMANDS["web"], {**split.env, "VISUAL_REVIEW_DATABASE_URL": empty})
    assert refused.code == 2
    assert "Run 'visual-review migrate'" in refused.err


@pytest.mark.django_db
def test_web_and_worker_do_not_start_with_a_missing_migration(
    own_env: dict[str, str], case: Case
) -> None:
    MigrationRecorder.Migration.objects.filter(app="builds").latest("id").delete()
    for command in ("web", "worker"):
        with case(command):
            refused = run_in_process(COMMANDS[command], own_env)
            assert refused.code == 2
            assert "Run 'visual-review migrate'" in refused.err


def test_migrate_creates_the_first_owner_and_may_be_repeated(split: SplitInstallation) -> None:
    email, password = OWNER
    owner = {"VISUAL_REVIEW_OWNER_EMAIL": email, "VISUAL_REVIEW_OWNER_PASSWORD": password}
    assert run(["migrate"], {**split.env, **owner}).code == 0
    again = run(["migrate"], split.env)
    assert (again.code, again.out) == (0, "")
    with psycopg.connect(split.database) as server:
        assert server.execute("SELECT email FROM accounts_user").fetchall() == [(email,)]


def test_web_and_worker_run_together_with_images_in_s3(
    split: SplitInstallation, s3: S3Server, tmp_path: Path
) -> None:
    port = free_port()
    web = Process(["web", "--port", str(port)], tmp_path / "web", split.env)
    url = f"http://127.0.0.1:{port}"
    try:
        wait_until("the web process is alive", lambda: answers(f"{url}/healthz"), web)
        # A worker may be missing for a while: pages stay.
        assert answers(f"{url}/readyz", 503)
        assert answers(f"{url}/readyz?exclude=worker&exclude=storage&exclude=disk")
        assert answers(f"{url}/startupz")
        json_logs = {**split.env, "VISUAL_REVIEW_LOG": "json"}
        worker = Process(["worker"], tmp_path / "worker", json_logs)
        wait_until("the worker was seen", lambda: answers(f"{url}/readyz"), worker)
        assert worker.end(signal.SIGTERM) == 0
        assert split.database not in web.written + worker.written
        assert SECRET_KEY not in web.written + worker.written
    finally:
        assert web.end(signal.SIGTERM) == 0
    assert "visual-review/probe/ready" in s3.keys(split.bucket)
    check_json_lines(worker.written)


def check_json_lines(log: str) -> None:
    lines = log.splitlines()
    assert lines
    for line in lines:
        assert {"time", "level", "logger", "message"} <= set(json.loads(line))


def test_the_error_lists_all_missing_variables() -> None:
    refused = run(["web"], environment())
    assert refused.code == 2
    for name in ("DATABASE_URL", "STORAGE_URL", "SECRET_KEY"):
        assert f"VISUAL_REVIEW_{name}" in refused.err


# Variable, value, and part of the error message.
INVALID_SETTINGS = (
    ("DATABASE_URL", "postgresql://a:hidden@127.0.0.1:1/c", "Cannot connect"),
    ("DATABASE_URL", "{database}x", 'database "firstx" does not exist'),
    ("DATABASE_URL", "mysql://a:hidden@b/c", "must begin with 'postgresql://'"),
    ("STORAGE_URL", "ftp://hidden", "begins with 'ftp:'"),
    ("STORAGE_URL", "s3://absent?endpoint={s3}", "NoSuchBucket"),
    ("SECRET_KEY", "short", "has 5 characters; it needs at least 32"),
    ("PUBLIC_URL", "reviews.example.com", "beginning with http:// or https://"),
)


@pytest.mark.django_db
def test_an_invalid_setting_is_reported(split: SplitInstallation, s3: S3Server, case: Case) -> None:
    for name, value, message in INVALID_SETTINGS:
        with case(f"{name} {value}"):
            given = value.format(database=split.database, s3=s3.endpoint)
            refused = run_in_process(["worker"], {**split.env, f"VISUAL_REVIEW_{name}": given})
            assert refused.code == 2
            assert message in refused.err
            assert "hidden@" not in refused.err


def test_a_worker_prints_the_message_without_a_traceback(split: SplitInstallation) -> None:
    """In a separate process, Django's settings also read the invalid variable."""
    wrong = {**split.env, "VISUAL_REVIEW_DATABASE_URL": "mysql://a:hidden@b/c"}
    refused = run(["worker"], wrong)
    assert refused.code == 2
    assert "must begin with 'postgresql://'" in refused.err
    assert "hidden@" not in refused.err
    assert "Traceback" not in refused.err


@pytest.mark.django_db
def test_a_database_of_a_newer_version_is_refused(own_env: dict[str, str], case: Case) -> None:
    MigrationRecorder(connection).record_applied("builds", "9999_from_the_future")
    for name, command in COMMANDS.items():
        with case(name):
            refused = run_in_process(command, own_env)
            assert refused.code == 2
            assert "used by a newer version" in refused.err
            assert "builds.9999_from_the_future" in refused.err
