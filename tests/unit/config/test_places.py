"""Commands on a data folder find its database, however the folder was named."""

import os
from pathlib import Path
from urllib.parse import unquote

import pytest

from visual_review.config.commands.installation import places
from visual_review.config.environment import DATABASE_URL, STORAGE_URL
from visual_review.config.standalone.data_folder import open_data_folder


def test_a_running_folder_named_by_a_relative_path_is_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (DATABASE_URL, STORAGE_URL):
        monkeypatch.setenv(name, "")
    monkeypatch.chdir(tmp_path)
    running = open_data_folder(tmp_path / "data")
    try:
        with places(Path("data"), new=False):
            assert f"host={tmp_path}/data/postgres/socket" in unquote(os.environ[DATABASE_URL])
            assert os.environ[STORAGE_URL] == f"file://{tmp_path}/data/blobs"
    finally:
        running.lock.close()
