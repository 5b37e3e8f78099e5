"""The cost of one pair on the command line, with the start of the program."""

import resource
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from scripts.setup_steps import VENV_BIN

from benchmarks.diff.errors import BenchmarkError
from benchmarks.diff.installation import FOLDER, Installation
from benchmarks.diff.pages import Pair, page_path

HELP, DIFF = "visual-review --help", "visual-review diff"
OUTPUT = FOLDER / "output"


def measure_commands(installed: Installation | None, rounds: int) -> Mapping[str, list[float]]:
    """Return CPU seconds of each command, taking turns; the first turn is not counted."""
    pair = Pair(page_path("1440x900", "rgb", "before"), page_path("1440x900", "rgb", "text"))
    OUTPUT.mkdir(parents=True, exist_ok=True)
    commands = _list_commands(pair, installed)
    times: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            seconds = _cpu_seconds_of(name, command)
            if number:
                times[name].append(seconds)
    return times


def _list_commands(pair: Pair, installed: Installation | None) -> dict[str, Sequence[str | Path]]:
    program = VENV_BIN / "visual-review"
    commands: dict[str, Sequence[str | Path]] = {
        HELP: [program, "--help"],
        DIFF: [program, "diff", pair.before, pair.after],
    }
    if installed is not None:
        images = (pair.before, pair.after, OUTPUT / "command.png")
        commands["odiff"] = [installed.odiff, *images, "--antialiasing"]
        commands["pixelmatch"] = [installed.node, installed.pixelmatch, *images, "0.1"]
    return commands


def _cpu_seconds_of(name: str, command: Sequence[str | Path]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    quiet = subprocess.DEVNULL
    result = subprocess.run(command, stdout=quiet, stderr=quiet, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if (name == HELP) != (result.returncode == 0):
        raise BenchmarkError(f"{name} ended with {result.returncode}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
