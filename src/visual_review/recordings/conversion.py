"""Converting a video in a child process that is bounded in memory, time and disk."""

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
from visual_review.recordings.video.child import RESULT, Limits
from visual_review.recordings.video.conversion import Converted
from visual_review.recordings.video.errors import ConversionInterruptedError, VideoRefusedError

CHILD: Final = "visual_review.recordings.video.child"
# Addresses, of which libraries reserve more than they use.
MEMORY: Final = 3 * 1024 * 1024 * 1024
COMPUTING_SECONDS: Final = 30 * 60
WAITING_SECONDS: Final = 60 * 60
# Whatever becomes of a small file: some of them hold very much of the same.
LEAST_FILE_BYTES: Final = 512 * 1024 * 1024
SHOWN_LOG: Final = 4000
# What the library's child needs to run; credentials are not among it.
KEPT: Final = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "LANG", "TMPDIR", "SYSTEMROOT")
TOO_LONG: Final = (
    "Converting the video took too long and was ended. Record a shorter or smaller one, or WebM "
    "(VP8, VP9, AV1) or MP4 (H.264), which needs no conversion."
)
BROKE: Final = (
    "The program that reads videos broke while it read this one. The file is damaged, or made to "
    "do harm."
)

logger = logging.getLogger(__name__)


def usual_limits(size: int, types: tuple[str, ...]) -> Limits:
    """What a conversion of a file of ``size`` bytes may take."""
    return Limits(MEMORY, COMPUTING_SECONDS, 2 * size + LEAST_FILE_BYTES, list(types))


def convert_in_child(
    source: Path, folder: Path, limits: Limits, waiting_seconds: float = WAITING_SECONDS
) -> Converted:
    """Write the video and its poster into ``folder``.

    Raises VideoRefusedError, with words for whoever recorded it; StorageFullError;
    ConversionCutError when the child was killed by somebody else.
    """
    (folder / RESULT).unlink(missing_ok=True)
    code = _run(source, folder, limits, waiting_seconds)
    if not (folder / RESULT).exists():
        raise _unfinished(code, folder)
    outcome = json.loads((folder / RESULT).read_text())
    if outcome.get("disk_full"):
        raise StorageFullError(
            "The disk that videos are converted on is full. Free space there; the recording is "
            "then processed by itself."
        )
    if "refused" in outcome:
        raise VideoRefusedError(outcome["refused"])
    return Converted(**outcome["converted"])


def _run(source: Path, folder: Path, limits: Limits, waiting_seconds: float) -> int | None:
    with (folder / "log").open("wb") as log:
        child = subprocess.Popen(  # noqa: S603 - Our own program; only paths of ours are handed on.
            # Without -B, the limit on file sizes could cut off a cached module for good.
            [sys.executable, "-B", "-m", CHILD, source, folder, json.dumps(asdict(limits))],
            env={name: os.environ[name] for name in KEPT if name in os.environ},
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        return child.wait(waiting_seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        child.kill()
        child.wait()
        if child.stdin is not None:
            child.stdin.close()


def _unfinished(code: int | None, folder: Path) -> Exception:
    log = (folder / "log").read_bytes()[-SHOWN_LOG:].decode(errors="replace")
    logger.warning("a conversion ended with %s: %s", code, log)
    if code in {None, -signal.SIGXCPU}:
        return VideoRefusedError(TOO_LONG)
    if code in {-signal.SIGKILL, -signal.SIGTERM}:
        return ConversionInterruptedError(f"The conversion was ended by signal {-code}.")
    return VideoRefusedError(BROKE)
