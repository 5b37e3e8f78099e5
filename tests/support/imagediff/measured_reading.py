"""Read images in processes of their own, with a limit on CPU time, and measure their memory.

``read_measured`` runs this file as a program that loads the engine once and forks for each image.
"""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from visual_review.imagediff import ImageError, hash_pixels, probe

CPU_SECONDS = 20
READERS = {"probe": probe, "decode": hash_pixels}


@dataclass(frozen=True)
class ReadingResult:
    """The outcome of reading an image, and its peak memory in MiB."""

    outcome: str
    memory: int


def read_measured(files: Mapping[str, tuple[str, bytes]], folder: Path) -> dict[str, ReadingResult]:
    """Read ``files``: by name, the function (``probe`` or ``decode``) and the image."""
    paths = [folder / f"{number}.png" for number in range(len(files))]
    for path, (_, data) in zip(paths, files.values(), strict=True):
        path.write_bytes(data)
    jobs = [f"{reader}={path}" for path, (reader, _) in zip(paths, files.values(), strict=True)]
    run = subprocess.run(
        [sys.executable, "-W", "error", __file__, *jobs],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    assert run.stderr == ""
    readings = [ReadingResult(**json.loads(line)) for line in run.stdout.splitlines()]
    return dict(zip(files, readings, strict=True))


def peak_memory() -> int:
    # The kernel's rusage would count the parent's memory from before the program was loaded.
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) // 1024


def read(reader: str, path: Path) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    data = path.read_bytes()
    try:
        READERS[reader](data)
    except ImageError as error:
        outcome = f"{type(error).__name__} {error}"
    else:
        outcome = "read"
    report(outcome, peak_memory())


def report(outcome: str, memory: int) -> None:
    sys.stdout.write(json.dumps({"outcome": outcome, "memory": memory}) + "\n")
    sys.stdout.flush()


def main() -> None:
    for job in sys.argv[1:]:
        reader, _, path = job.partition("=")
        child = os.fork()
        if child == 0:
            read(reader, Path(path))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status:
            report(f"ended with {status}", 0)


if __name__ == "__main__":
    main()
