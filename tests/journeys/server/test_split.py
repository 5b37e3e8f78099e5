"""The same program split: migrate, web and worker on a given database and S3 storage."""

import json
import signal
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from tests.servers.s3 import S3Server
from tests.servers.service import (
    OWNER,
    Process,
    answers,
    environment,
    free_port,
    run,
    wait_until,
)
from tests.servers.tcp_postgres import TcpPostgres

SECRET_KEY = "a secret key of the tests, long enough for anybody"


@dataclass(frozen=True)
class Split:
    """What all processes of one installation share."""

    database: str
    env: dict[str, str]
    bucket: str


@pytest.fixture(scope="module")
def split(postgres: TcpPostgres, s3: S3Server) -> Split:
    database = postgres.new_database("first")
    env = environment(
        VISUAL_REVIEW_DATABASE_URL=database,
        VISUAL_REVIEW_STORAGE_URL=s3.new_bucket("first"),
        VISUAL_REVIEW_SECRET_KEY=SECRET_KEY,
        **s3.credentials,
    )
    return Split(database, env, "first")


def test_web_and_worker_wait_for_the_migration(split: Split) -> None:
    for command in (["web", "--port", "0"], ["worker"]):
        refused = run(command, split.env)
        assert refused.code == 2
        assert "Run 'visual-review migrate'" in refused.err


def test_migrate_makes_the_first_owner_and_is_harmless_when_repeated(split: Split) -> None:
    email, password = OWNER
    owner = {"VISUAL_REVIEW_OWNER_EMAIL": email, "VISUAL_REVIEW_OWNER_PASSWORD": password}
    assert run(["migrate"], {**split.env, **owner}).code == 0
    again = run(["migrate"], split.env)
    assert (again.code, again.out) == (0, "")
    with psycopg.connect(split.database) as server:
        assert server.execute("SELECT email FROM accounts_user").fetchall() == [(email,)]


def test_they_serve_together_and_pages_may_load_pictures_from_s3(
    split: Split, s3: S3Server, tmp_path: Path
) -> None:
    port = free_port()
    web = Process(["web", "--port", str(port)], tmp_path / "web", split.env)
    address = f"http://127.0.0.1:{port}"
    try:
        wait_until("the web process answers", lambda: answers(f"{address}/healthz"), web)
        assert answers(f"{address}/readyz", 503)
        worker = Process(["worker"], tmp_path / "worker", split.env)
        wait_until("the worker was seen", lambda: answers(f"{address}/readyz"), worker)
        assert worker.end(signal.SIGTERM) == 0
        assert split.database not in web.written + worker.written
        assert SECRET_KEY not in web.written + worker.written
    finally:
        assert web.end(signal.SIGTERM) == 0
    assert "visual-review/probe/ready" in s3.keys(split.bucket)


def test_missing_variables_are_all_named_at_once() -> None:
    refused = run(["web"], environment())
    assert refused.code == 2
    for name in ("DATABASE_URL", "STORAGE_URL", "SECRET_KEY"):
        assert f"VISUAL_REVIEW_{name}" in refused.err


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("DATABASE_URL", "mysql://a:hidden@b/c", "must begin with 'postgresql://'"),
        ("DATABASE_URL", "postgresql://a:hidden@127.0.0.1:1/c", "cannot be used"),
        ("DATABASE_URL", "{database}x", 'database "firstx" does not exist'),
        ("STORAGE_URL", "ftp://hidden", "begins with 'ftp:'"),
        ("STORAGE_URL", "s3://absent?endpoint={s3}", "NoSuchBucket"),
        ("SECRET_KEY", "short", "has 5 characters; 32 are the least"),
        ("PUBLIC_URL", "reviews.example.com", "beginning with http:// or https://"),
    ],
)
def test_a_wrong_setting_is_named_with_the_way_out(
    split: Split, s3: S3Server, name: str, value: str, words: str
) -> None:
    given = value.format(database=split.database, s3=s3.endpoint)
    refused = run(["worker"], {**split.env, f"VISUAL_REVIEW_{name}": given})
    assert refused.code == 2
    assert words in refused.err
    assert "hidden@" not in refused.err
    assert "Traceback" not in refused.err


def test_a_database_of_a_newer_version_is_refused(split: Split) -> None:
    with psycopg.connect(split.database) as server:
        server.execute(
            "INSERT INTO django_migrations (app, name, applied) "
            "VALUES ('builds', '9999_from_the_future', now())"
        )
    try:
        for command in ("web", "worker", "migrate"):
            refused = run([command], split.env)
            assert refused.code == 2
            assert "used by a newer version" in refused.err
            assert "builds.9999_from_the_future" in refused.err
    finally:
        with psycopg.connect(split.database) as server:
            server.execute("DELETE FROM django_migrations WHERE name = '9999_from_the_future'")


def test_logs_are_json_lines_for_machines(split: Split, tmp_path: Path) -> None:
    worker = Process(["worker"], tmp_path / "worker", {**split.env, "VISUAL_REVIEW_LOG": "json"})
    wait_until("the worker says that it works", lambda: worker.written, worker)
    worker.end()
    for line in worker.written.splitlines():
        assert {"time", "level", "logger", "message"} <= set(json.loads(line))
