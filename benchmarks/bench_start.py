"""``make bench-start``: seconds until ``visual-review up`` is ready, and the memory afterwards."""

import argparse
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from statistics import median

import httpx
import psutil
from scripts.demo_folder import DemoError, demo_folder
from scripts.setup_steps import VENV_BIN

EMPTY, EXISTING = "empty folder", "existing folder"
# Seconds until the service is ready, by folder.
BARS = {EMPTY: 20.0, EXISTING: 8.0}
READY_SECONDS, STOP_SECONDS, STEP_SECONDS = 180.0, 60.0, 0.05
MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Start:
    """Seconds until ``/readyz`` said ready, with the CPU time of all processes until then.

    ``memory`` is the proportional set size of all processes but PostgreSQL's, in bytes, or None if
    only root may read the size.
    """

    seconds: float
    cpu: float
    memory: int | None


def observe_start(data: Path) -> Start:
    """Start and stop the service on a folder. Raises DemoError if the start fails."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = int(probe.getsockname()[1])
    began = time.monotonic()
    with running(data, port) as process:
        wait_until_ready(process, port, began + READY_SECONDS)
        seconds = time.monotonic() - began
        supervisor = psutil.Process(process.pid)
        return Start(seconds, cpu_of(supervisor), memory_of(supervisor))


@contextmanager
def running(data: Path, port: int) -> Iterator["subprocess.Popen[bytes]"]:
    log = data.with_name("up.log")
    with (
        log.open("wb") as output,
        subprocess.Popen(
            [VENV_BIN / "visual-review", "up", "--data", data, "--port", str(port)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            # Ctrl-C is for the benchmark; the benchmark then stops the service.
            start_new_session=True,
        ) as process,
    ):
        try:
            yield process
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(STOP_SECONDS)


def wait_until_ready(process: "subprocess.Popen[bytes]", port: int, deadline: float) -> None:
    while process.poll() is None and time.monotonic() < deadline:
        try:
            if httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=READY_SECONDS).is_success:
                return
        except httpx.TransportError:
            # The port is not open yet.
            pass
        time.sleep(STEP_SECONDS)
    raise DemoError("The service did not become ready; 'up.log' says why.")


def cpu_of(supervisor: psutil.Process) -> float:
    times = [each.cpu_times() for each in (supervisor, *supervisor.children(recursive=True))]
    return sum(
        each.user + each.system + each.children_user + each.children_system for each in times
    )


def memory_of(supervisor: psutil.Process) -> int | None:
    try:
        return sum(
            process.memory_full_info().pss
            for process in (supervisor, *supervisor.children(recursive=True))
            if "postgres" not in process.name()
        )
    except psutil.AccessDenied:
        return None


def measure(folder: Path, rounds: int) -> dict[str, list[Start]]:
    """Start on an empty folder, then again on the same one, ``rounds`` times."""
    found: dict[str, list[Start]] = {EMPTY: [], EXISTING: []}
    for _ in range(rounds):
        for kind, starts in found.items():
            starts.append(observe_start(folder / "data"))
            print(f"bench-start: {kind}: {starts[-1].seconds:.1f} s", flush=True)
        rmtree(folder / "data")
    return found


def find_missed(found: dict[str, list[Start]]) -> list[str]:
    """Print the medians; return the missed bars."""
    missed = []
    for kind, starts in found.items():
        seconds = median(start.seconds for start in starts)
        memory = [start.memory for start in starts if start.memory is not None]
        size = f"{median(memory) / MEGABYTE:.0f} MB" if memory else "memory not readable"
        cpu = median(start.cpu for start in starts)
        line = f"{kind}: ready after {seconds:.1f} s, {cpu:.1f} s of CPU, {size}"
        print(f"{line}, bar {BARS[kind]:.0f} s")
        if seconds >= BARS[kind]:
            missed.append(line)
    return missed


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench-start", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    # A canceled CI job must stop the service, too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    print(f"bench-start: load average before the run: {os.getloadavg()[0]:.1f}")
    try:
        with demo_folder("bench-start") as folder:
            missed = find_missed(measure(folder, options.rounds))
    except DemoError as error:
        print(f"bench-start: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    print(*(f"MISSED: {line}" for line in missed), sep="\n")
    return 1 if missed and os.environ.get("CHECK") == "1" else 0


if __name__ == "__main__":
    sys.exit(main())
