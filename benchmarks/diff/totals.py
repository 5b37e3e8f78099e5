"""Bars and lines for the folder, the command line, memory and noise; pure."""

from collections.abc import Mapping, Sequence
from statistics import median

from benchmarks.diff.command_line import DIFF, HELP
from benchmarks.diff.engines import Sample
from benchmarks.diff.folder import FolderTime
from benchmarks.diff.memory import MemoryUse
from benchmarks.diff.names import OURS, REG_CLI
from benchmarks.diff.results import Bar, spread

FOLDER_TIMES = 1.5
COMMAND_SECONDS = 0.15
NOISE_SECONDS = 1.5
MEBIBYTE = 2**20
WORKER_BYTES = 32 * MEBIBYTE
BYTES_PER_PIXEL: Mapping[int, int] = {8: 10, 16: 20}


def format_folder(times: Mapping[str, Sequence[FolderTime]], count: int) -> list[str]:
    lines = [f"{count:,} pairs{'':<16}{'wall s':>16}{'pairs/s':>10}{'CPU s':>8}"]
    for name, found in times.items():
        wall = [one.wall for one in found]
        cpu = [one.cpu for one in found if one.cpu is not None]
        seconds = f"{median(wall):.2f} ±{spread(wall):.2f}"
        used = f"{median(cpu):.2f}" if cpu else "-"
        lines.append(f"  {name:<24}{seconds:>16}{count / median(wall):>10,.0f}{used:>8}")
    return lines


def compute_folder_bars(times: Mapping[str, Sequence[FolderTime]]) -> list[Bar]:
    """Compare with the fastest of the others that got the same check for equal bytes."""
    medians = {name: median(one.wall for one in found) for name, found in times.items()}
    peers = {name: seconds for name, seconds in medians.items() if name not in (OURS, REG_CLI)}
    if not peers:
        return []
    best = min(peers, key=lambda name: peers[name])
    ratio = peers[best] / medians[OURS]
    text = f"folders: {best} takes {ratio:.2f} times our time, bar {FOLDER_TIMES}"
    return [Bar(text, missed=ratio < FOLDER_TIMES)]


def format_commands(times: Mapping[str, Sequence[float]]) -> list[str]:
    lines = ["one pair of 1440x900 by the command line, CPU s"]
    for name, seconds in times.items():
        lines.append(f"  {name:<24}{median(seconds):>8.3f} ±{spread(seconds):.3f}")
    return lines


def compute_command_bars(times: Mapping[str, Sequence[float]]) -> list[Bar]:
    more = median(diff - start for diff, start in zip(times[DIFF], times[HELP], strict=True))
    text = f"command line: {more:.3f} s of CPU more than --help, bar {COMMAND_SECONDS}"
    return [Bar(text, missed=more > COMMAND_SECONDS)]


def format_memory(uses: Sequence[MemoryUse]) -> list[str]:
    lines = [
        f"{'peak memory of one pair':<36}{'mode':<9}{'idle MiB':>9}{'more MiB':>9}{'bar MiB':>9}"
    ]
    for use in uses:
        sizes = (use.idle, use.added, allowed_bytes(use))
        columns = "".join(f"{size / MEBIBYTE:>9.0f}" for size in sizes)
        lines.append(f"  {use.name:<34}{_mode_of(use):<9}{columns}")
    return lines


def allowed_bytes(use: MemoryUse) -> int:
    return BYTES_PER_PIXEL[use.bits] * use.pixels + WORKER_BYTES


def compute_memory_bars(uses: Sequence[MemoryUse]) -> list[Bar]:
    return [
        Bar(
            f"memory of {use.name}, {_mode_of(use)}: {use.added / MEBIBYTE:.0f} MiB, "
            f"bar {allowed_bytes(use) / MEBIBYTE:.0f}",
            missed=use.added >= allowed_bytes(use),
        )
        for use in uses
    ]


def format_noise(samples: Mapping[str, Sequence[Sample]]) -> list[str]:
    lines = [f"{'28.8 megapixels of noise':<26}{'wall s':>8}{'CPU s':>8}{'pixels':>13}"]
    for name, found in samples.items():
        wall, cpu = (min(getattr(one, what) for one in found) for what in ("wall", "cpu"))
        lines.append(f"  {name:<24}{wall:>8.2f}{cpu:>8.2f}{found[0].different:>13,}")
    return lines


def compute_noise_bars(samples: Mapping[str, Sequence[Sample]]) -> list[Bar]:
    wall = min(one.wall for one in samples[OURS])
    text = f"noise: {wall:.2f} s, bar {NOISE_SECONDS}"
    return [Bar(text, missed=wall >= NOISE_SECONDS)]


def _mode_of(use: MemoryUse) -> str:
    return "written" if use.written else "verdict"
