"""A storage that breaks is told of in words, whatever was asked of it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from visual_review.kernel.blobs import BlobStore, open_store
from visual_review.kernel.errors import UnavailableError

KEY = "images/org/aa/picture.png"


@pytest.fixture
def broken_store(tmp_path: Path) -> BlobStore:
    """A file lies where the folder of all pictures should be."""
    store = open_store((tmp_path / "store").as_uri())
    (tmp_path / "store" / "images").write_bytes(b"no folder")
    return store


@pytest.mark.parametrize(
    "ask",
    [
        lambda store: store.get(KEY),
        lambda store: store.put(KEY, b"bytes"),
        lambda store: store.size(KEY),
        lambda store: store.delete([KEY]),
        lambda store: list(store.keys("images/org")),
    ],
    ids=["get", "put", "size", "delete", "keys"],
)
def test_a_broken_folder_is_told_of_in_words(
    broken_store: BlobStore, ask: Callable[[BlobStore], object]
) -> None:
    with pytest.raises(UnavailableError, match="The storage did not let the service"):
        ask(broken_store)
