"""Converts one file: ``python -m visual_review.recordings.video.child FILE LIMITS``.

A separate process, because C libraries read an untrusted file: a crash or endless resource use
affects only this process. It has no credentials, no network and no files but those of its current
folder, and ends when its parent does. It writes its result to ``result.json`` there.
"""

import errno
import io
import json
import os
import pkgutil
import resource
import sys
import threading
import time
import traceback
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from importlib import import_module
from math import ceil
from pathlib import Path
from typing import Any, Final

import av
import numpy as np
from PIL import Image

from visual_review.kernel.confinement.decoder import confine_decoder
from visual_review.recordings.video.budgets import Budget, reading_budget
from visual_review.recordings.video.conversion import convert
from visual_review.recordings.video.errors import VideoRefusedError
from visual_review.recordings.video.outcome import RESULT, Limits
from visual_review.recordings.video.priority import lower_priority

# The library's own command and its downloads of samples.
UNUSED_MODULES: Final = frozenset({"av.__main__", "av.datasets"})
NO_MEMORY: Final = (
    "Reading the video takes more memory than a conversion may use. Record at a smaller size."
)
TOO_LARGE: Final = (
    "The converted video is larger than a conversion may write. Record a shorter one, or WebM or "
    "MP4 (H.264), which need no conversion."
)
FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


def main(source: str, limits_json: str) -> None:
    limits = Limits(**json.loads(limits_json))
    lower_priority()
    _load_everything()
    _set_limits(limits)
    # Paths are relative: another user may not reach the folder from the root.
    folder = Path()
    confine_decoder(folder)
    # After it, as the confinement covers only threads that start later.
    _end_with_parent()
    outcome = _outcome(Path(source), folder, limits)
    # Renamed at the end, so that there is never a partial result.
    unfinished = folder / f"{RESULT}.unfinished"
    unfinished.write_text(json.dumps(outcome))
    unfinished.rename(folder / RESULT)


def _outcome(source: Path, folder: Path, limits: Limits) -> dict[str, Any]:
    set_budget = partial(_set_budget, limits)
    set_budget(reading_budget(source.stat().st_size))
    try:
        return {"converted": asdict(convert(source, folder, frozenset(limits.types), set_budget))}
    except VideoRefusedError as error:
        return {"refused": str(error)}
    except MemoryError:
        return {"refused": NO_MEMORY}
    except (av.error.FFmpegError, OSError, ValueError) as error:
        return _library_outcome(error)


def _library_outcome(error: Exception) -> dict[str, Any]:
    number = getattr(error, "errno", None)
    if number in FULL:
        return {"disk_full": True}
    if number == errno.EFBIG:
        return {"refused": TOO_LARGE}
    traceback.print_exception(error)
    reason = getattr(error, "strerror", None) or type(error).__name__
    return {"refused": f"The video cannot be read: the file is damaged ({reason})."}


def _load_everything() -> None:
    # The libraries import parts of each other on first use, and no code can be read later.
    for module in pkgutil.walk_packages(av.__path__, "av."):
        if module.name not in UNUSED_MODULES:
            import_module(module.name)
    Image.preinit()
    frame = av.VideoFrame.from_ndarray(np.zeros((2, 2, 3), np.uint8))
    image: Image.Image = frame.to_image()  # type: ignore[no-untyped-call]
    image.save(io.BytesIO(), "JPEG")
    frame.reformat(2, 2, "gray").to_ndarray()


def _set_limits(limits: Limits) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
    # The soft limit sends its own signal, by which the parent recognizes the reason.
    resource.setrlimit(resource.RLIMIT_CPU, (limits.seconds, limits.seconds + 5))
    resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file_size, limits.file_size))


def _set_budget(limits: Limits, budget: Budget) -> None:
    """Allow this much from now on, within the limits."""
    memory = min(budget.memory, limits.memory)
    seconds = min(ceil(time.process_time()) + budget.seconds, limits.seconds)
    # Where a sandbox forbids it, the limits of all videos stay.
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (memory, limits.memory))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, limits.seconds + 5))


def _end_with_parent() -> None:
    def wait() -> None:
        # Nothing is ever sent: the pipe closes when the parent ends, however it ends.
        os.read(sys.stdin.fileno(), 1)
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


if __name__ == "__main__":
    main(*sys.argv[1:])
