"""Scenes: initial data of several tests, created by the real code once in each process.

The first test with a scene builds the scene in its own transaction; the written rows, the stored
blobs and the state of the in-memory host are saved. Later tests get copies.
"""

import copy
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from shutil import rmtree
from typing import Generic, ParamSpec, TypeVar

from scripts.local_host.memory.state import State

from tests.support.host_accounts import host_world
from tests.support.saved_rows import SavedRows, save_rows_of
from visual_review.kernel.blobs import blob_store

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class SavedScene(Generic[T]):
    rows: SavedRows
    blobs: dict[str, bytes]
    host: State
    result: T

    def load(self) -> T:
        self.rows.insert()
        folder = blobs_folder()
        # A case may have left blobs of the same names.
        rmtree(folder)
        folder.mkdir()
        for name, data in self.blobs.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        with host_world().locked() as state:
            vars(state).update(vars(copy.deepcopy(self.host)))
        return copy.deepcopy(self.result)


def scene(build: Callable[P, T]) -> Callable[P, T]:
    """Make ``build`` a scene for each of its arguments.

    A test must use the scene before changing the database, the blobs or the host: only additions of
    ``build`` are part of the scene. The result is copied for each test.
    """
    saved: dict[Hashable, SavedScene[T]] = {}

    @wraps(build)
    def load_or_build(*args: P.args, **kwargs: P.kwargs) -> T:
        key = as_hashable((args, kwargs))
        if key in saved:
            return saved[key].load()
        before = stored_blobs()
        result, rows = save_rows_of(lambda: build(*args, **kwargs))
        blobs = {name: data for name, data in stored_blobs().items() if name not in before}
        with host_world().locked() as state:
            saved[key] = SavedScene(rows, blobs, copy.deepcopy(state), copy.deepcopy(result))
        return result

    return load_or_build


def as_hashable(value: object) -> Hashable:
    if isinstance(value, dict):
        return tuple((name, as_hashable(each)) for name, each in value.items())
    if isinstance(value, tuple):
        return tuple(as_hashable(each) for each in value)
    assert isinstance(value, Hashable)
    return value


def stored_blobs() -> dict[str, bytes]:
    """Return the contents of all stored blobs by their path."""
    folder = blobs_folder()
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def blobs_folder() -> Path:
    folder = blob_store().folder
    assert folder is not None, "Tests store blobs in a folder."
    return folder
