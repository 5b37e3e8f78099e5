"""One run of one program over one Storybook, with the images."""

import hashlib
import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from scripts.setup_steps import ROOT

from benchmarks.capture.installation import Installation
from benchmarks.capture.processes import Usage, errors_of, measure_command
from benchmarks.capture.programs import OURS, Job, make_command
from benchmarks.capture.results import Round
from benchmarks.diff.errors import BenchmarkError

FOLDER: Final = ROOT / ".bench" / "capture"
TAIL_LINES: Final = 15
# Ours exits with 1 if a story failed; some stories of the example fail on purpose.
EXPECTED_CODES: Final = (0, 1)


@dataclass(frozen=True)
class Report:
    """The report of our command on the images."""

    total: int
    marked: frozenset[str] = field(default_factory=frozenset)


def run_program(program: str, job: Job, installed: Installation, expected: int) -> Round:
    """Run a program once. Raises BenchmarkError if images are missing."""
    output = FOLDER / "images"
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    log = FOLDER / f"{program.replace(' ', '-')}.log"
    command = make_command(program, job, installed, output)
    usage = measure_command(command, log, {"PYTHONPATH": str(ROOT)})
    images = hash_images(output)
    marked: frozenset[str] = frozenset()
    if program == OURS:
        report = _read_report(usage, log)
        marked = report.marked
        if report.total != expected:
            raise BenchmarkError(f"our command has {report.total} results, not {expected}")
    elif usage.code not in EXPECTED_CODES or not images:
        raise BenchmarkError(f"{program} ended with {usage.code}:\n{_tail(log)}")
    return Round(usage.elapsed, usage.cpu, images, usage.leftovers, marked)


def hash_images(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*.png"))
    }


def _read_report(usage: Usage, log: Path) -> Report:
    if usage.code not in EXPECTED_CODES:
        raise BenchmarkError(f"our command ended with {usage.code}:\n{_tail(errors_of(log))}")
    document = json.loads(log.read_text(encoding="utf-8"))
    total = sum(document[key] for key in ("captured", "failed", "skipped"))
    marked = {image["file"] for image in document["images"] if image["unstable"]}
    return Report(total, frozenset(marked))


def _tail(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return "\n".join(lines[-TAIL_LINES:])
