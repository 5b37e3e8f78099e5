"""The cache: bounded, never half a file, and safe for several runs at once."""

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from visual_review.client.checking.cache import MOST_STORYBOOKS, Cache, open_cache
from visual_review.client.transport.errors import InputError

MEGABYTE = 1024 * 1024


def image(number: int, size: int = 100) -> tuple[str, bytes]:
    data = bytes([number]) * size
    return hashlib.sha256(data).hexdigest(), data


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_an_image_is_found_again(tmp_path: Path) -> None:
    cache, (name, data) = Cache(tmp_path / "cache", MEGABYTE), image(1)
    assert cache.find_image(name) is None
    cache.store_image(name, data)
    assert cache.find_image(name) == data


def test_a_damaged_image_is_deleted_and_not_used(tmp_path: Path) -> None:
    cache, (name, data) = Cache(tmp_path / "cache", MEGABYTE), image(1)
    cache.store_image(name, data)
    [stored] = files(tmp_path / "cache")
    stored.write_bytes(data[:-1])
    assert cache.find_image(name) is None
    assert not stored.exists()


def test_the_images_used_last_are_kept(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache", 1000)
    for number in range(20):
        name, data = image(number)
        cache.store_image(name, data)
        path = next(each for each in files(tmp_path / "cache") if each.stem == name)
        os.utime(path, (number, number))
    cache.find_image(image(0)[0])
    cache.trim()
    left = {path.stem for path in files(tmp_path / "cache")}
    assert sum(path.stat().st_size for path in files(tmp_path / "cache")) <= 1000
    assert {image(0)[0], image(19)[0]} <= left
    assert image(1)[0] not in left


def test_several_runs_store_the_same_at_once(tmp_path: Path) -> None:
    cache, (name, data) = Cache(tmp_path / "cache", MEGABYTE), image(1, MEGABYTE)

    def run(_: int) -> bytes | None:
        cache.store_image(name, data)
        found = cache.find_image(name)
        cache.trim()
        return found

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(run, range(40))) == {data}
    assert len(files(tmp_path / "cache")) <= 1


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = Cache(tmp_path / "file", MEGABYTE)
    with pytest.raises(InputError, match="set VISUAL_REVIEW_CACHE_DIR to a folder"):
        cache.store_image(*image(1))


def test_a_full_disk_leaves_no_half_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    cache = Cache(tmp_path / "cache", MEGABYTE)
    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(InputError, match="cannot be written: No space left on device"):
        cache.store_image(*image(1))
    assert files(tmp_path / "cache") == []


def test_a_document_is_found_with_its_time(tmp_path: Path) -> None:
    cache = Cache(tmp_path, MEGABYTE)
    cache.store_document(["a", {"b": 1}], {"entries": []})
    found = cache.find_document(["a", {"b": 1}])
    assert found is not None
    assert found[0] == {"entries": []}
    assert cache.find_document(["a", {"b": 2}]) is None
    [stored] = files(tmp_path)
    stored.write_text("{")
    assert cache.find_document(["a", {"b": 1}]) is None


def test_few_built_storybooks_are_kept(tmp_path: Path) -> None:
    cache, built = Cache(tmp_path / "cache", MEGABYTE), tmp_path / "built"
    built.mkdir()
    (built / "index.json").write_text("{}")
    for number in range(MOST_STORYBOOKS + 2):
        stored = cache.store_storybook(number, built)
        os.utime(stored, (number, number))
        # Storing the same Storybook again changes nothing.
        assert cache.store_storybook(number, built) == stored
    cache.trim()
    kept = [number for number in range(MOST_STORYBOOKS + 2) if cache.find_storybook(number)]
    assert kept == [2, 3, 4]


def test_a_storybook_that_another_run_may_use_stays(tmp_path: Path) -> None:
    cache, built = Cache(tmp_path / "cache", MEGABYTE), tmp_path / "built"
    built.mkdir()
    for number in range(MOST_STORYBOOKS + 2):
        cache.store_storybook(number, built)
    cache.trim()
    assert all(cache.find_storybook(number) for number in range(MOST_STORYBOOKS + 2))


def test_folder_and_size_come_from_the_environment(tmp_path: Path) -> None:
    chosen = {"VISUAL_REVIEW_CACHE_DIR": str(tmp_path), "VISUAL_REVIEW_CACHE_MB": "5"}
    assert open_cache(chosen).folder == tmp_path
    assert open_cache({}).folder.name == "visual-review"
    with pytest.raises(InputError, match="not a number of megabytes"):
        open_cache({"VISUAL_REVIEW_CACHE_MB": "much"})
