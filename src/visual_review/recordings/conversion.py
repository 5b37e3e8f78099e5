"""Converting a video in a child process with limited memory, time and disk space."""

import json
import logging
import os
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Final

from visual_review.kernel.errors import StorageFullError
from visual_review.recordings.video.errors import ConversionInterruptedError, VideoRefusedError
from visual_review.recordings.video.outcome import RESULT, Converted, Limits

CHILD: Final = "visual_review.recordings.video.child"
# Virtual memory, of which libraries reserve more than they use.
MEMORY_BYTES: Final = 3 * 1024 * 1024 * 1024
# The most for any video; budgets.py has what a video of some size gets.
CPU_SECONDS: Final = 30 * 60
# Conversions have a low priority: on a busy machine they take several times longer.
TIMEOUT_SECONDS: Final = 4 * 60 * 60
# Allowed for small files too: highly compressed ones can become much larger.
MIN_FILE_BYTES: Final = 512 * 1024 * 1024
LOGGED_BYTES: Final = 4000
# What the child process needs to run; none of it is a credential.
ENVIRONMENT: Final = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "LANG", "TMPDIR", "SYSTEMROOT")
TOO_LONG: Final = (
    "Converting the video took too long and was stopped. Record a shorter or smaller video, or "
    "WebM (VP8, VP9, AV1) or MP4 (H.264), which need no conversion."
)
CRASHED: Final = (
    "The converter crashed while it read this video. The file is damaged, or crafted to do harm."
)

logger = logging.getLogger(__name__)


def conversion_limits(size: int, types: tuple[str, ...]) -> Limits:
    """Return the limits for converting a file of ``size`` bytes."""
    return Limits(MEMORY_BYTES, CPU_SECONDS, 2 * size + MIN_FILE_BYTES, list(types))


def convert_in_child(
    source: Path, folder: Path, limits: Limits, timeout_seconds: float = TIMEOUT_SECONDS
) -> Converted:
    """Write the video and its poster into ``folder``, which also contains ``source``.

    Raises VideoRefusedError, with a message for the user who recorded it; StorageFullError;
    ConversionInterruptedError if the child was killed from outside, or failed by itself.
    """
    (folder / RESULT).unlink(missing_ok=True)
    code = _run_child(source, folder, limits, timeout_seconds)
    if not (folder / RESULT).exists():
        raise _error_without_result(code, folder)
    outcome = json.loads((folder / RESULT).read_text())
    if outcome.get("disk_full"):
        raise StorageFullError(
            "The disk used for converting videos is full. Free some space; the recording is then "
            "processed automatically."
        )
    if "refused" in outcome:
        raise VideoRefusedError(outcome["refused"])
    return Converted(**outcome["converted"])


def _run_child(source: Path, folder: Path, limits: Limits, timeout_seconds: float) -> int | None:
    with (folder / "log").open("wb") as log:
        child = subprocess.Popen(  # noqa: S603 - Our own program; only paths of ours are handed on.
            # Without -B, the limit on file sizes could leave a truncated module in the cache.
            # Without -P, code would also be searched for in the folder.
            [sys.executable, "-B", "-P", "-m", CHILD, source.name, json.dumps(asdict(limits))],
            env=child_environment(),
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        return child.wait(timeout_seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        child.kill()
        child.wait()
        if child.stdin is not None:
            child.stdin.close()


def child_environment() -> dict[str, str]:
    """Return the variables of the child process: none of the service's own."""
    kept = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    # A thread that starts with the library would escape the confinement.
    return {**kept, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def _error_without_result(code: int | None, folder: Path) -> Exception:
    log = (folder / "log").read_bytes()[-LOGGED_BYTES:].decode(errors="replace")
    logger.warning("a conversion ended with %s: %s", code, log)
    if code in {None, -signal.SIGXCPU}:
        return VideoRefusedError(TOO_LONG)
    if code in {-signal.SIGKILL, -signal.SIGTERM}:
        return ConversionInterruptedError(f"The conversion was stopped by signal {-code}.")
    if code is not None and code > 0:
        # An error of ours; a crash of the libraries ends the process by a signal.
        return ConversionInterruptedError(f"The converter failed with exit code {code}.")
    return VideoRefusedError(CRASHED)
