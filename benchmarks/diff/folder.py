"""Two folders of 1,000 screenshots, with one in twenty changed."""

import os
import resource
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

from scripts.setup_steps import VENV_BIN

from benchmarks.diff.engines import Program, WarmProcess
from benchmarks.diff.errors import BenchmarkError
from benchmarks.diff.installation import FOLDER, Installation
from benchmarks.diff.names import OURS, REG_CLI
from benchmarks.diff.pages import Pair, captured, differ, find_changed_captures

COUNT, CHANGED_SHARE = 1000, 0.05
BEFORE, AFTER = FOLDER / "folders" / "before", FOLDER / "folders" / "after"
OUTPUT = FOLDER / "folders" / "output"
EXIT_CHANGED = 1


@dataclass(frozen=True)
class FolderTime:
    """Elapsed and CPU seconds of comparing both folders, from nothing started to the last pair.

    CPU time is None for a program that does not wait for its own processes: no one counts them.
    """

    wall: float
    cpu: float | None


def write_folders(count: int = COUNT) -> int:
    """Write both folders from captures of the example, and return how many pairs differ."""
    shutil.rmtree(FOLDER / "folders", ignore_errors=True)
    for folder in (BEFORE, AFTER):
        folder.mkdir(parents=True)
    changed = max(1, int(count * CHANGED_SHARE))
    for number, pair in enumerate(_choose_pairs(count, changed)):
        name = f"{number:04}.png"
        shutil.copyfile(pair.before, BEFORE / name)
        shutil.copyfile(pair.after, AFTER / name)
    return changed


def measure_folders(
    programs: Sequence[Program], installed: Installation | None, rounds: int
) -> Mapping[str, list[FolderTime]]:
    """Compare both folders ``rounds`` times with each program, in turns."""
    runs: dict[str, Callable[[], None]] = {OURS: _run_ours}
    for program in programs:
        if program.name != OURS:
            runs[program.name] = _make_run(program)
    if installed is not None:
        runs[REG_CLI] = _make_reg_cli_run(installed)
    times: dict[str, list[FolderTime]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            shutil.rmtree(OUTPUT, ignore_errors=True)
            OUTPUT.mkdir()
            times[name].append(_time(run, counts_cpu=name != REG_CLI))
    return times


def _choose_pairs(count: int, changed: int) -> Iterator[Pair]:
    """Yield pairs; evenly spread ones differ."""
    different = islice(cycle(find_changed_captures()), changed)
    same = cycle(captured())
    step = count // changed
    for number in range(count):
        if number % step == 0 and (pair := next(different, None)) is not None:
            yield pair
        else:
            path = next(same)
            yield Pair(path, path)


def _time(run: Callable[[], None], *, counts_cpu: bool) -> FolderTime:
    cpu, wall = _cpu_seconds(), time.perf_counter()
    run()
    wall, cpu = time.perf_counter() - wall, _cpu_seconds() - cpu
    return FolderTime(wall, cpu if counts_cpu else None)


def _cpu_seconds() -> float:
    """Return the CPU time of this process and of all ended children."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def _run_ours() -> None:
    command: list[str | Path] = [VENV_BIN / "visual-review", "diff", BEFORE, AFTER, "--json"]
    result = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    if result.returncode != EXIT_CHANGED:
        raise BenchmarkError(f"visual-review diff ended with {result.returncode}")


def _make_run(program: Program) -> Callable[[], None]:
    """Return a run with one process per CPU, for pairs with different bytes only."""

    def run() -> None:
        processes = [WarmProcess(program) for _ in range(os.cpu_count() or 1)]
        pairs = [Pair(path, AFTER / path.name) for path in sorted(BEFORE.iterdir())]
        remaining = [pair for pair in pairs if differ(pair.before, pair.after)]
        with ThreadPoolExecutor(len(processes)) as pool:
            shares = [remaining[number :: len(processes)] for number in range(len(processes))]
            list(pool.map(_compare_share, processes, shares))

    return run


def _compare_share(process: WarmProcess, pairs: Sequence[Pair]) -> None:
    for pair in pairs:
        # Only odiff cannot compare without writing a diff image.
        verdict = process.program.gives_verdicts
        process.compare(pair, None if verdict else OUTPUT / pair.after.name)
    process.stop()


def _make_reg_cli_run(installed: Installation) -> Callable[[], None]:
    """Return a run of reg-cli; reg-cli checks for equal bytes itself and always writes images."""
    command: list[str | Path] = [installed.node, installed.reg_cli, AFTER, BEFORE, OUTPUT]
    command += ["-J", OUTPUT / "reg.json", "-M", "0.1", "-A", "-I", "-C", str(os.cpu_count() or 1)]

    def run() -> None:
        quiet = subprocess.DEVNULL
        result = subprocess.run(command, stdout=quiet, stderr=quiet, check=False)
        if result.returncode != 0:
            raise BenchmarkError(f"reg-cli ended with {result.returncode}")

    return run
