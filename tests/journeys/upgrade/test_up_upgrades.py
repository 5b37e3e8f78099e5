"""``visual-review up`` on the data folder of an older version."""

import json
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.support.servers.old_database import UNDO
from tests.support.servers.service import open_folder, start
from tests.support.servers.template import FAST, copy_data_folder
from visual_review.config.standalone.data_folder import database_password
from visual_review.config.standalone.postgres import EmbeddedPostgres


@pytest.fixture
def older_folder() -> Iterator[Path]:
    with open_folder() as folder:
        data = copy_data_folder(folder / "data")
        (data / "visual-review.json").write_text(json.dumps({"layout": 2, "program": "0.0.9"}))
        server = EmbeddedPostgres(data / "postgres", database_password(data), FAST)
        server.start()
        try:
            with psycopg.connect(server.url) as database:
                database.execute(UNDO)
        finally:
            server.stop()
        yield data


def test_up_backs_up_and_migrates_an_older_folder(older_folder: Path) -> None:
    service = start(older_folder)
    try:
        (backup,) = (service.data / "backups").iterdir()
        assert f"as it was before this upgrade is in {backup}" in service.process.written
        modes = (backup.parent.stat().st_mode & 0o777, backup.stat().st_mode & 0o777)
        assert modes == (0o700, 0o600)
        assert service.ready()
        stamp = json.loads((service.data / "visual-review.json").read_text())
        assert stamp["program"] != "0.0.9"
    finally:
        service.process.end()
