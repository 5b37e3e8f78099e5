"""Backup and restore do not load videos into memory."""

import tracemalloc
from pathlib import Path

from visual_review.config.commands.backup import Counts, StoredImages, add_blobs
from visual_review.config.commands.backup_archive import ArchiveWriter, verify_archive
from visual_review.config.commands.restore import load_blobs
from visual_review.kernel.blobs import BlobStore, open_store

VIDEO = "recordings/org_1/rec_1/video.webm"
VIDEO_BYTES = 64 * 1024 * 1024
# Much more than a chunk, much less than the video.
MEMORY_LIMIT = VIDEO_BYTES // 2


def folder_of(store: BlobStore) -> Path:
    assert store.folder is not None
    return store.folder


def test_videos_are_backed_up_and_restored_in_chunks(tmp_path: Path) -> None:
    store, restored = (open_store((tmp_path / name).as_uri()) for name in ("store", "restored"))
    store.put("images/org_1/ab/abcd.png", b"an image")
    store.put("incoming/org_1/rec_1/part-000001", b"temporary")
    video = folder_of(store) / VIDEO
    video.parent.mkdir(parents=True)
    with video.open("wb") as file:
        file.truncate(VIDEO_BYTES)
        file.seek(VIDEO_BYTES - 3)
        file.write(b"end")
    tracemalloc.start()
    try:
        with ArchiveWriter(tmp_path / "backup.tar") as archive:
            archive.add_json("manifest.json", {"format": 2})
            assert add_blobs(archive, store, print, StoredImages()) == Counts(2, 0)
        verify_archive(tmp_path / "backup.tar")
        assert load_blobs(tmp_path / "backup.tar", restored, print) == 2
        assert tracemalloc.get_traced_memory()[1] < MEMORY_LIMIT
    finally:
        tracemalloc.stop()
    assert dict(restored.sizes("")) == {VIDEO: VIDEO_BYTES, "images/org_1/ab/abcd.png": 8}
    with (folder_of(restored) / VIDEO).open("rb") as file:
        file.seek(-4, 2)
        assert file.read() == b"\0end"
