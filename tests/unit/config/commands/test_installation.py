"""Commands find the database of a data folder, also by a relative path."""

import os
from pathlib import Path
from urllib.parse import unquote

import pytest

from visual_review.config.commands.installation import use_installation
from visual_review.config.environment import DATABASE_URL, STORAGE_URL
from visual_review.config.standalone.data_folder import open_data_folder


def test_a_running_data_folder_can_be_given_as_a_relative_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (DATABASE_URL, STORAGE_URL):
        monkeypatch.setenv(name, "")
    monkeypatch.chdir(tmp_path)
    running = open_data_folder(tmp_path / "data")
    try:
        with use_installation(Path("data"), new=False):
            assert f"host={tmp_path}/data/postgres/socket" in unquote(os.environ[DATABASE_URL])
            assert os.environ[STORAGE_URL] == f"file://{tmp_path}/data/blobs"
    finally:
        running.lock.close()
