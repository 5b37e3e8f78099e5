"""``visual-review up`` on the data folder of an older version."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.journeys.upgrade.conftest import DATA
from tests.support.backup_files import manifest
from tests.support.servers.old_database import dump
from tests.support.servers.service import Service, open_folder, start
from tests.support.servers.template import FAST, copy_data_folder
from visual_review.config.standalone.data_folder import database_password
from visual_review.config.standalone.postgres import EmbeddedPostgres
from visual_review.config.standalone.postgres_names import ROLE, SUPERUSER
from visual_review.config.standalone.postgres_programs import programs_for


@pytest.fixture
def older_folder(older: str, django_db_blocker: DjangoDbBlocker) -> Iterator[Path]:
    with open_folder() as folder:
        data = copy_data_folder(folder / "data")
        shutil.copytree(DATA / "blobs", data / "blobs", dirs_exist_ok=True)
        (data / "visual-review.json").write_text(json.dumps({"layout": 1, "program": "0.0.9"}))
        password = database_password(data)
        server = EmbeddedPostgres(data / "postgres", password, FAST, keep_superuser=True)
        server.start()
        try:
            with django_db_blocker.unblock():
                copy_database(older, server)
        finally:
            server.stop()
        yield data


def copy_database(name: str, server: EmbeddedPostgres) -> None:
    """Replace the database of ``server`` by ``name`` of the tests' server, for its superuser."""
    programs = programs_for(server.account, Path("/nonexistent"))
    dumped = dump(name)
    url = server.url.replace(f"//{ROLE}:", f"//{SUPERUSER}:")
    with psycopg.connect(url, autocommit=True) as database:
        database.execute("DROP SCHEMA public CASCADE")
        database.execute("CREATE SCHEMA public AUTHORIZATION pg_database_owner")
    command = ["--quiet", "--output", os.devnull, "--set", "ON_ERROR_STOP=1", url]
    subprocess.run([programs / "psql", *command], input=dumped, check=True)


@pytest.fixture
def service(older_folder: Path) -> Iterator[Service]:
    started = start(older_folder)
    yield started
    started.process.end()


def test_up_backs_up_and_migrates_an_older_folder(service: Service, facts: dict[str, Any]) -> None:
    (backup,) = (service.data / "backups").iterdir()
    assert f"as it was before this upgrade is in {backup}" in service.process.written
    assert ["builds", facts["migrations"]["builds"]] not in manifest(backup)["migrations"]
    assert (backup.parent.stat().st_mode & 0o777, backup.stat().st_mode & 0o777) == (0o700, 0o600)
    assert service.ready()
    assert json.loads((service.data / "visual-review.json").read_text())["program"] != "0.0.9"
