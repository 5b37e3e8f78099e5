"""Measures kinds of pairs one after the other; all programs take turns in every round."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from benchmarks.diff.engines import Program, Sample, WarmProcess
from benchmarks.diff.errors import BenchmarkError
from benchmarks.diff.installation import FOLDER
from benchmarks.diff.names import OURS
from benchmarks.diff.pages import Cell
from benchmarks.diff.results import VERDICT, WRITTEN, Row

OUTPUT = FOLDER / "output"
WARM_UP_ROUNDS = 2
SLOW_ROUNDS = 2


def measure_cells(
    programs: Sequence[Program],
    cells: Sequence[Cell],
    rounds: int,
    modes: Sequence[str] = (WRITTEN, VERDICT),
) -> Iterator[Row]:
    """Measure every cell with and without a diff image."""
    OUTPUT.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        running = [WarmProcess(program) for program in programs]
        for process in running:
            stack.callback(process.stop)
        for cell in cells:
            for mode in modes:
                yield _measure_cell(running, cell, mode, rounds)


def _measure_cell(running: Sequence[WarmProcess], cell: Cell, mode: str, rounds: int) -> Row:
    able = [one for one in running if mode == WRITTEN or one.program.gives_verdicts]
    samples: dict[str, list[Sample]] = {one.program.name: [] for one in able}
    for number in range(WARM_UP_ROUNDS + rounds):
        # Another program begins every round, so that none always follows the same one.
        first = number % len(able)
        for process in [*able[first:], *able[:first]]:
            measured = number - WARM_UP_ROUNDS
            if process.program.slow and not 0 <= measured < SLOW_ROUNDS:
                continue
            sample = _measure_once(process, cell, mode)
            if measured >= 0:
                samples[process.program.name].append(sample)
    return Row(
        cell=str(cell),
        mode=mode,
        cpu={name: [one.cpu for one in found] for name, found in samples.items()},
        different={name: found[0].different for name, found in samples.items()},
    )


def _measure_once(process: WarmProcess, cell: Cell, mode: str) -> Sample:
    name = process.program.name
    output = OUTPUT / f"{name}.png" if mode == WRITTEN else None
    cpu = wall = 0.0
    different = 0
    for pair in cell.pairs:
        (OUTPUT / f"{name}.png").unlink(missing_ok=True)
        sample = process.compare(pair, output)
        _check_output(name, sample, output)
        cpu, wall = cpu + sample.cpu, wall + sample.wall
        different += sample.different
    return Sample(cpu, wall, different)


def _check_output(name: str, sample: Sample, output: Path | None) -> None:
    if output is not None and sample.different and not output.is_file():
        raise BenchmarkError(f"{name} found {sample.different} pixels and wrote no diff image")
    # An image of no difference would be useless, and drawing one a waste.
    if output is not None and name == OURS and not sample.different and output.is_file():
        raise BenchmarkError("ours wrote a diff image of equal images")
