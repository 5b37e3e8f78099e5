"""Programs for comparing pairs, each in a process that is started once and then kept warm."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from scripts.setup_steps import ROOT

from benchmarks.diff.errors import BenchmarkError
from benchmarks.diff.installation import PEERS, PYTHON_PEERS, Installation
from benchmarks.diff.names import ANALYZED, BLAZEDIFF, ODIFF, OURS, PIXELMATCH
from benchmarks.diff.pages import Pair

Message = dict[str, Any]


@dataclass(frozen=True)
class Sample:
    """One comparison: CPU time of all threads and elapsed time in seconds, and the result."""

    cpu: float
    wall: float
    different: int


@dataclass(frozen=True)
class Program:
    """How to start a program and talk to it; each request and each response is a line of JSON."""

    name: str
    command: Sequence[str | Path]
    environment: Mapping[str, str]
    make_request: Callable[[int, Pair, Path | None], Message]
    read_count: Callable[[Message], int]
    # Whether the program can compare without writing a diff image.
    gives_verdicts: bool = True
    # A few rounds are enough to see that the program is slow.
    slow: bool = False


class WarmProcess:
    """A started program, waiting for the next pair."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._process = subprocess.Popen(
            [str(word) for word in program.command],
            cwd=ROOT,
            env={**os.environ, **program.environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._count = 0
        # Every program sends a line when ready.
        self.greeting = self._read()

    @property
    def pid(self) -> int:
        return self._process.pid

    def cpu_seconds(self) -> float:
        """Return the CPU time of all threads, including ended ones."""
        return time.clock_gettime(_cpu_clock_of(self.pid))

    def compare(self, pair: Pair, output: Path | None) -> Sample:
        self._count += 1
        request = self.program.make_request(self._count, pair, output)
        cpu, wall = self.cpu_seconds(), time.perf_counter()
        self._write(request)
        response = self._read()
        wall, cpu = time.perf_counter() - wall, self.cpu_seconds() - cpu
        return Sample(cpu, wall, self.program.read_count(response))

    def stop(self) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _write(self, request: Message) -> None:
        assert self._process.stdin is not None  # noqa: S101 - For the type checker.
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()

    def _read(self) -> Message:
        assert self._process.stdout is not None  # noqa: S101 - For the type checker.
        line = self._process.stdout.readline()
        if not line:
            raise BenchmarkError(f"{self.program.name} ended, with code {self._process.wait()}")
        message: Message = json.loads(line)
        if "error" in message:
            raise BenchmarkError(f"{self.program.name}: {message['error']}")
        return message


def make_programs(installed: Installation | None) -> list[Program]:
    """Return ours and, if installed, the others, each with the fastest settings."""
    ours = Program(
        name=OURS,
        command=[sys.executable, "-m", "benchmarks.diff.our_worker"],
        environment={},
        make_request=_request,
        read_count=_count,
    )
    analyzed = replace(ours, name=ANALYZED, make_request=_analysis_request)
    if installed is None:
        return [ours, analyzed]
    odiff = Program(
        name=ODIFF,
        command=[installed.odiff, "--server"],
        environment={},
        make_request=_odiff_request,
        read_count=_odiff_count,
        # The server always draws the diff image, and cannot run without writing a file.
        gives_verdicts=False,
    )
    blazediff = Program(
        name=BLAZEDIFF,
        command=[sys.executable, "-m", "benchmarks.diff.blazediff_worker"],
        # blazediff's own codec, documented as faster for every file.
        environment={"PYTHONPATH": str(PYTHON_PEERS), "BLAZEDIFF_PNG_ENABLED": "1"},
        make_request=_request,
        read_count=_count,
    )
    pixelmatch = Program(
        name=PIXELMATCH,
        command=[installed.node, PEERS / "pixelmatch_worker.mjs"],
        environment={},
        make_request=_request,
        read_count=_count,
        slow=True,
    )
    return [ours, analyzed, odiff, blazediff, pixelmatch]


def _cpu_clock_of(pid: int) -> int:
    """Return Linux's number for the clock of a process (see clock_getcpuclockid(3))."""
    return (~pid << 3) | 2


def _request(_number: int, pair: Pair, output: Path | None) -> Message:
    return {
        "before": str(pair.before),
        "after": str(pair.after),
        "output": None if output is None else str(output),
    }


def _analysis_request(number: int, pair: Pair, output: Path | None) -> Message:
    return {**_request(number, pair, output), "analyze": True}


def _count(response: Message) -> int:
    return int(response["different"])


def _odiff_request(number: int, pair: Pair, output: Path | None) -> Message:
    return {
        "requestId": number,
        "base": str(pair.before),
        "compare": str(pair.after),
        "output": str(output),
        # In odiff's server, `antialiasing` means ignoring anti-aliased pixels.
        "options": {"threshold": 0.1, "antialiasing": True},
    }


def _odiff_count(response: Message) -> int:
    return 0 if response["match"] else int(response["diffCount"])
