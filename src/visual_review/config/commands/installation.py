"""The database and storage of a command: from the environment, or from a data folder."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree

from visual_review.config.environment import DATABASE_URL, STORAGE_URL, StartupError
from visual_review.config.standalone.data_folder import (
    DataFolder,
    FolderInUseError,
    create_for_account,
    database_password,
    is_data_folder,
    open_data_folder,
    storage_url,
)
from visual_review.config.standalone.postgres import EmbeddedPostgres
from visual_review.config.standalone.postgres_programs import prefixed_path
from visual_review.config.standalone.privileges import acting_as_owner
from visual_review.config.startup import (
    check_database,
    check_storage,
    check_variables,
    use_direct_database,
)


@contextmanager
def use_installation(data: Path | None, *, new: bool) -> Iterator[None]:
    """Set the environment variables of the database and the storage for the block.

    With ``data``, the variables lead to the folder's database and storage: PostgreSQL is started
    unless ``visual-review up`` runs there. ``new`` requires a missing or empty folder.
    """
    if data is None:
        check_variables([DATABASE_URL, STORAGE_URL])
        use_direct_database()
        check_database()
        check_storage()
        yield
        return
    # The path of the socket must be absolute: libpq takes a relative path for a host name.
    data = data.absolute()
    if new and data.exists() and any(data.iterdir()):
        raise StartupError(
            f"The folder {data} is not empty. A restore never overwrites data; choose a new folder."
        )
    created = new and not data.exists()
    if not new and not is_data_folder(data):
        raise StartupError(
            f"{data} is not a data folder of Visual Review. Choose the data folder with --data."
        )
    try:
        if created:
            create_for_account(data)
        with acting_as_owner(data), _running_or_started(data) as server:
            os.environ[DATABASE_URL] = server.url
            os.environ[STORAGE_URL] = storage_url(data)
            os.environ["PATH"] = prefixed_path(server.find_programs())
            yield
    except StartupError:
        if created:
            # An incomplete restore would only block the next attempt.
            rmtree(data, ignore_errors=True)
        raise


@contextmanager
def _running_or_started(data: Path) -> Iterator[EmbeddedPostgres]:
    try:
        folder: DataFolder = open_data_folder(data)
    except FolderInUseError:
        yield EmbeddedPostgres.attach(data / "postgres", database_password(data))
        return
    server = EmbeddedPostgres(folder.postgres, database_password(data))
    try:
        server.start()
        yield server
    finally:
        server.stop()
        folder.lock.close()
