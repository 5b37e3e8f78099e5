"""``visual-review up`` on the data of each release, as the section "Upgrade" of the guide promises.

``releases`` has files written by the releases themselves: a new data folder with one owner, two
publishes of three images to ``main``, the first of them approved, then ``visual-review backup``.
"""

import json
import os
import re
import subprocess
import tarfile
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from django.db import connection

from tests.support.servers.service import HTTP, Service, open_folder, run, start
from tests.support.servers.template import FAST, copy_data_folder
from visual_review.config.commands.backup_archive import BLOBS, DATABASE
from visual_review.config.standalone.data_folder import database_password
from visual_review.config.standalone.postgres import EmbeddedPostgres
from visual_review.config.standalone.postgres_programs import MAJOR, find_client

RELEASES: Final = sorted(Path(__file__).with_name("releases").glob("*.tar"))
OWNER: Final = "olivia@example.com"
EMPTY: Final = "DROP SCHEMA public CASCADE; CREATE SCHEMA public"
COLUMNS: Final = """
    SELECT table_name, column_name, data_type, is_nullable, column_default
    FROM information_schema.columns WHERE table_schema = 'public'
"""
INDEXES: Final = "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'"
CONSTRAINTS: Final = """
    SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace
"""


@pytest.fixture(params=RELEASES, ids=lambda path: path.stem)
def folder_of_release(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A data folder with the files of the release, and its database before any later migration."""
    with open_folder() as folder:
        data = copy_data_folder(folder / "data")
        stamp = {"layout": 2, "program": request.param.stem}
        (data / "visual-review.json").write_text(json.dumps(stamp))
        with tarfile.open(request.param) as backup:
            load_images(data, backup)
            load_database(data, backup)
        yield data


def load_images(data: Path, backup: tarfile.TarFile) -> None:
    for member in backup:
        if member.name.startswith(BLOBS):
            backup.extract(member, data, filter="data")
    owner = data.stat()
    for path in (data / BLOBS).rglob("*"):
        os.chown(path, owner.st_uid, owner.st_gid)


def load_database(data: Path, backup: tarfile.TarFile) -> None:
    dump = backup.extractfile(DATABASE)
    assert dump is not None
    server = EmbeddedPostgres(data / "postgres", database_password(data), FAST)
    server.start()
    try:
        with psycopg.connect(server.url) as database:
            database.execute(EMPTY)
        program = find_client("pg_restore", MAJOR * 10_000)
        command = [program, "--no-owner", "--no-privileges", f"--dbname={server.url}"]
        subprocess.run(command, input=dump.read(), check=True)
    finally:
        server.stop()


@pytest.mark.django_db
def test_up_upgrades_the_data_of_each_release(folder_of_release: Path) -> None:
    service = start(folder_of_release)
    try:
        assert_backed_up(service)
        assert_same_structure_as_a_new_database(service.data)
        assert_review_goes_on(service)
    finally:
        assert service.process.end() == 0


def assert_backed_up(service: Service) -> None:
    (backup,) = (service.data / "backups").iterdir()
    assert f"as it was before this upgrade is in {backup}" in service.process.written
    modes = (backup.parent.stat().st_mode & 0o777, backup.stat().st_mode & 0o777)
    assert modes == (0o700, 0o600)
    stamp = json.loads((service.data / "visual-review.json").read_text())
    assert stamp["program"] == version("visual-review")


def assert_same_structure_as_a_new_database(data: Path) -> None:
    """A changed migration would leave the databases of releases without its change."""
    url = EmbeddedPostgres.attach(data / "postgres", database_password(data)).url
    with psycopg.connect(url) as upgraded, connection.cursor() as new:
        for query in (COLUMNS, INDEXES, CONSTRAINTS):
            new.execute(query)
            found = set(map(without_casts, upgraded.execute(query)))
            assert found == set(map(without_casts, new.fetchall()))


def without_casts(row: Sequence[object]) -> str:
    """Return a text of the row; PostgreSQL moves the casts of a list on reading a dump."""
    return re.sub(r"::[a-z ]+(\[\])?|[()]", "", str(tuple(row)))


def assert_review_goes_on(service: Service) -> None:
    """The owner finds both builds with their decisions and images, and approves the second."""
    call = caller(service)
    [repository] = call("list_repos")["repos"]
    second, first = call("list_builds", repoId=repository["id"])["builds"]
    assert (first["reviewState"], first["diffCount"]) == ("approved", 3)
    assert (second["reviewState"], second["diffCount"]) == ("unreviewed", 1)
    build = call("get_build", buildId=second["id"])["build"]
    [changed] = [shot for shot in build["screenshots"] if shot["diffState"] == "changed"]
    for url in ("beforeUrl", "afterUrl", "diffUrl"):
        assert HTTP.get(changed[url]).content.startswith(b"\x89PNG"), url
    assert call("approve_build", buildId=second["id"])["reviewState"] == "approved"


def caller(service: Service) -> Callable[..., dict[str, Any]]:
    options = ["--name", "upgrade", "--user", OWNER, "--quiet", "--data", str(service.data)]
    key = run(["keys", "create", *options]).out.strip()

    def call(action: str, **values: str) -> dict[str, Any]:
        authorization = {"Authorization": f"Bearer {key}"}
        response = service.post(f"/api/rest/actions/{action}", values, **authorization)
        assert response.status_code == 200, response.text
        result: dict[str, Any] = response.json()["result"]
        return result

    return call
