"""The reserve on the disk of ``visual-review up``: given back to PostgreSQL when the disk is full.

PostgreSQL stops when its log cannot be written. The supervisor keeps a file of a fixed size, and
deletes the file before the disk is full; until there is room for the file again, the service writes
nothing new. Web process and worker see the state of the disk by the file.
"""

import logging
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from visual_review.kernel.errors import StorageFullError

MEGABYTE: Final = 1024 * 1024
# With less free space, PostgreSQL's writes of some seconds may no longer fit.
LEAST_FREE_BYTES: Final = 32 * MEGABYTE
# Free space needed besides the reserve before the service writes again: other blobs may need it.
FREE_AGAIN_BYTES: Final = 96 * MEGABYTE
# From here on, people who can free space are warned.
NEARLY_FULL: Final = 0.1

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class DiskReserve:
    """A file that reserves ``size`` bytes on its disk."""

    path: Path
    size: int

    def is_full(self) -> bool:
        """Whether the disk was full, and there is no room for the reserve again."""
        return not self.path.exists()

    def missing_megabytes(self) -> int:
        """Return how much must be freed until the service writes again, in MB, at least 1."""
        missing = self.size + FREE_AGAIN_BYTES - self._free()
        return max(1, -(-missing // MEGABYTE))

    def is_nearly_full(self) -> bool:
        usage = shutil.disk_usage(self.path.parent)
        return usage.free < usage.total * NEARLY_FULL

    def free_megabytes(self) -> int:
        return self._free() // MEGABYTE

    def describe(self) -> str:
        return f"the disk is full, {self.missing_megabytes()} MB are missing"

    def adjust(self) -> None:
        """Give the reserve back on a full disk, or take it if there is room. For one process."""
        free = self._free()
        if self.path.exists():
            if free < LEAST_FREE_BYTES:
                self.path.unlink()
                logger.error(
                    "The disk of %s is full. Nothing new is stored until %s MB more are free.",
                    *(self.path.parent, self.missing_megabytes()),
                )
        elif free >= self.size + FREE_AGAIN_BYTES:
            self._take()

    def has_room_to_start(self) -> bool:
        return self._free() >= LEAST_FREE_BYTES

    def _take(self) -> None:
        temporary = self.path.with_suffix(".new")
        try:
            with temporary.open("wb") as file:
                _fill(file, self.size)
            temporary.replace(self.path)
        except OSError:
            # Something else took the room; the next attempt comes soon.
            temporary.unlink(missing_ok=True)

    def _free(self) -> int:
        return shutil.disk_usage(self.path.parent).free


def _fill(file: IO[bytes], size: int) -> None:
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, size)
        return
    for start in range(0, size, MEGABYTE):
        file.write(bytes(min(MEGABYTE, size - start)))


def require_room(reserve: DiskReserve | None) -> None:
    """Raise StorageFullError while the disk is full; without a reserve, the disk is not watched."""
    if reserve is not None and reserve.is_full():
        raise StorageFullError(
            f"The disk of the service is full: {reserve.missing_megabytes()} MB must be freed. Nothing "
            "was stored. Reading still works; the same request succeeds when there is room."
        )
