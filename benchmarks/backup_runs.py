"""A backup of a running service and its restore: duration, and required memory."""

import os
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scripts.demo_folder import DemoError
from scripts.demo_server import PROGRAM

from visual_review.builds.images.blob_keys import image_key
from visual_review.builds.models import Image
from visual_review.kernel.blobs import BlobStore, blob_store

USUAL_BYTES = 30_000


@dataclass(frozen=True)
class CommandRun:
    """A command of the program: ``peak`` is the highest memory of one of its processes."""

    name: str
    seconds: float
    peak: int

    def __str__(self) -> str:
        return f"{self.name}: {self.seconds:.0f} s, at most {self.peak / 1024**2:.0f} MB"


def back_up_and_restore(data: Path, folder: Path) -> Iterator[CommandRun]:
    """Back up the service of the folder ``data``, and restore it, both in the new ``folder``."""
    folder.mkdir()
    _give_images_bytes(blob_store())
    file = folder / "backup.tar"
    yield _run("backup", file, data)
    yield _run("restore", file, folder / "restored")


def _give_images_bytes(store: BlobStore) -> None:
    """Give every image a file of a usual size; copies of builds have rows of images only."""
    usual = os.urandom(USUAL_BYTES)
    root = store.folder
    assert root is not None  # noqa: S101 - The service stores in its data folder.
    for row in Image.objects.select_related("organization").iterator():
        path = root / image_key(row)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(usual)


def _run(name: str, file: Path, data: Path) -> CommandRun:
    began = time.monotonic()
    command = [str(PROGRAM), name, str(file), "--data", str(data)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise DemoError(f"'visual-review {name}' ended with {process.returncode}.")
    return CommandRun(name, time.monotonic() - began, usage.ru_maxrss * 1024)
