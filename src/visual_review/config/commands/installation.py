"""The database and storage a command works on: those the environment names, or a data folder's."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree

from visual_review.config.environment import DATABASE_URL, STORAGE_URL
from visual_review.config.errors import StartupError
from visual_review.config.standalone.data_folder import (
    DataFolder,
    FolderInUseError,
    database_password,
    is_data_folder,
    open_data_folder,
    storage_url,
)
from visual_review.config.standalone.postgres import EmbeddedPostgres
from visual_review.config.startup import check_database, check_storage, check_variables


@contextmanager
def places(data: Path | None, *, new: bool) -> Iterator[None]:
    """Set the environment to the database and storage for the block.

    With ``data`` they are the folder's: PostgreSQL is started unless ``visual-review up`` runs
    there. ``new`` wants a folder that does not exist yet or is empty.
    """
    if data is None:
        check_variables([DATABASE_URL, STORAGE_URL])
        check_database()
        check_storage()
        yield
        return
    # The socket below it is named to a library that takes a relative path for a host's name.
    data = data.absolute()
    if new and data.exists() and any(data.iterdir()):
        raise StartupError(
            f"The folder {data} is not empty. A restore never overwrites; name a new folder."
        )
    made = new and not data.exists()
    if not new and not is_data_folder(data):
        raise StartupError(f"{data} is no data folder of Visual Review. Name it with --data.")
    try:
        with _running_or_started(data) as server:
            os.environ[DATABASE_URL] = server.url
            os.environ[STORAGE_URL] = storage_url(data)
            yield
    except StartupError:
        if made:
            # A folder that holds half a restore would only be in the way of the next one.
            rmtree(data, ignore_errors=True)
        raise


@contextmanager
def _running_or_started(data: Path) -> Iterator[EmbeddedPostgres]:
    try:
        folder: DataFolder = open_data_folder(data)
    except FolderInUseError:
        yield EmbeddedPostgres.running(data / "postgres", database_password(data))
        return
    server = EmbeddedPostgres(folder.postgres, database_password(data))
    try:
        server.start()
        yield server
    finally:
        server.stop()
        folder.lock.close()
