"""Two images of noise without two equal neighbors: the slowest possible screenshots."""

from collections.abc import Sequence

from benchmarks.diff.engines import Program, Sample, WarmProcess
from benchmarks.diff.installation import FOLDER
from benchmarks.diff.kinds import encode_unfiltered, make_noise
from benchmarks.diff.pages import Pair

WIDTH, HEIGHT = 6400, 4500
NOISE = FOLDER / "noise"


def measure_noise(programs: Sequence[Program], rounds: int) -> dict[str, list[Sample]]:
    """Compare without a diff image, each program in turn."""
    pair = _write_noise()
    samples: dict[str, list[Sample]] = {program.name: [] for program in programs}
    for _ in range(rounds):
        for program in programs:
            process = WarmProcess(program)
            try:
                samples[program.name].append(process.compare(pair, None))
            finally:
                process.stop()
    return samples


def _write_noise() -> Pair:
    NOISE.mkdir(parents=True, exist_ok=True)
    pair = Pair(NOISE / "before.png", NOISE / "after.png")
    for seed, path in enumerate((pair.before, pair.after)):
        if not path.is_file():
            path.write_bytes(encode_unfiltered(make_noise(WIDTH, HEIGHT, seed), level=1))
    return pair
