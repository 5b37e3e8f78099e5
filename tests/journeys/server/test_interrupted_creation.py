"""The database is killed during its creation; the next start completes the creation."""

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import psycopg
import pytest

from tests.support.servers.service import open_folder, wait_until
from tests.support.servers.template import FAST, copy_cluster
from visual_review.config.standalone.postgres import STRICT, EmbeddedPostgres, run_alone
from visual_review.config.standalone.postgres_folder import DATABASE
from visual_review.config.standalone.postgres_programs import programs_for

CREATE = """
import sys
from pathlib import Path
from visual_review.config.standalone.postgres import EmbeddedPostgres
EmbeddedPostgres(Path(sys.argv[1]), "password").start()
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    with open_folder() as opened:
        yield opened


def assert_it_starts(postgres: EmbeddedPostgres) -> None:
    try:
        postgres.start()
        with psycopg.connect(postgres.url) as server:
            assert server.execute("SELECT 1").fetchone() == (1,)
    finally:
        postgres.stop()


def test_killed_while_the_files_are_created(folder: Path) -> None:
    postgres = EmbeddedPostgres(folder / "postgres", "password", FAST)
    with subprocess.Popen([sys.executable, "-c", CREATE, postgres.folder]) as killed:
        wait_until("files are created", lambda: any(postgres.folder.glob("cluster.new*/*")))
        killed.kill()
    # At once, while processes of the first start may still end.
    assert_it_starts(postgres)
    assert sorted(path.name for path in postgres.folder.iterdir()) == ["cluster", "socket"]


def test_killed_before_the_database_is_created(folder: Path) -> None:
    postgres = EmbeddedPostgres(folder / "postgres", copy_cluster(folder), FAST)
    run = partial(postgres.run_single, programs_for(postgres.account, folder / "programs"))
    drop = [f"DROP DATABASE {DATABASE}"]
    assert run_alone(run, postgres.cluster, "postgres", drop, STRICT).returncode == 0
    assert_it_starts(postgres)
