"""Capture one Storybook with two ways of rendering, and count apparent faint changes.

Equal files would prove nothing, so pairs with any different pixel are counted as well.
"""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from scripts.setup_steps import (
    ROOT,
    SAMPLES,
    VENV_BIN,
    content_hash,
    is_fresh,
    run_program,
    say,
    write_stamp,
)

from benchmarks.diff.errors import BenchmarkError
from visual_review.client.capture.chromium import find_chromium
from visual_review.imagediff import compare_with_marks

STORYBOOK: Final = SAMPLES / "storybooks" / "boosted-html"
FOLDER: Final = ROOT / ".bench" / "groups"
MOST_ALARMS: Final = 0.001
FEWEST_PAIRS: Final = 1000
# Half of the pairs of the setting with most changes have to differ somewhere.
LEAST_NOISY: Final = 0.5


@dataclass(frozen=True)
class Setting:
    """The rendering of another machine: missing flags, and additional flags.

    ``is_layout`` means another layout of text, with many differences in any case.
    """

    name: str
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    is_layout: bool = False


REFERENCE: Final = Setting("reference")
SETTINGS: Final = (
    # A machine with another processor.
    Setting(
        "other-cpu",
        ("--disable-skia-runtime-opts", "--disable-partial-raster"),
        ("--num-raster-threads=4",),
    ),
    Setting("lcd-text", ("--disable-lcd-text",)),
    # A machine with a graphics card; Chromium brings one in software.
    Setting(
        "gpu",
        added=(
            "--enable-gpu-rasterization",
            "--ignore-gpu-blocklist",
            "--use-gl=angle",
            "--use-angle=swiftshader",
        ),
    ),
    Setting("whole-pixel-text", added=("--disable-font-subpixel-positioning",), is_layout=True),
)


@dataclass(frozen=True)
class NoiseRow:
    """Pairs of one setting: all, pairs with a different pixel, and the results.

    ``changed`` differ by the plain comparison, ``large`` have a large faint area, and ``alarms``
    have one although the plain comparison finds the pair equal.
    """

    setting: Setting
    pairs: int
    differing: int
    changed: int
    large: int
    alarms: int


@dataclass(frozen=True)
class NoiseBar:
    """The measurement for a bar, in words."""

    text: str
    missed: bool

    def __str__(self) -> str:
        return f"{'MISSED' if self.missed else 'met'}: {self.text}"


def is_storybook_available() -> bool:
    return STORYBOOK.is_dir()


def measure_raster_noise() -> list[NoiseRow]:
    """Capture missing images, for some minutes per setting, and compare all."""
    before = capture(REFERENCE)
    return [_measure(setting, before, capture(setting)) for setting in SETTINGS]


def capture(setting: Setting) -> Path:
    """Return the folder of all stories in the light theme, captured by the product itself."""
    output = FOLDER / "raster" / setting.name
    stamp = FOLDER / f".{setting.name}-stamp"
    browser = _write_browser(setting)
    value = content_hash([STORYBOOK / "index.json"], browser.read_text(encoding="utf-8"))
    if not is_fresh(stamp, value):
        say(f"capturing {STORYBOOK.name} as {setting.name} for the benchmark")
        command: list[str | Path] = [VENV_BIN / "visual-review", "capture", STORYBOOK]
        command += ["--output", output, "--theme", "light", "--workers", "1"]
        result = run_program([*command, "--chromium", browser])
        if not any(output.glob("*.png")):
            raise BenchmarkError(f"{STORYBOOK.name} was not captured:\n{result.stdout}")
        write_stamp(stamp, value)
    return output


def format_noise(rows: Sequence[NoiseRow]) -> list[str]:
    head = f"{'rendered as':<20}{'pairs':>7}{'differ':>8}{'changed':>9}{'faint':>7}{'false alarms':>14}"
    return [
        head,
        *(
            f"{row.setting.name:<20}{row.pairs:>7}{row.differing:>8}{row.changed:>9}{row.large:>7}"
            f"{row.alarms:>7} {row.alarms / max(1, row.pairs):>6.2%}"
            for row in rows
        ),
    ]


def compute_noise_bars(rows: Sequence[NoiseRow]) -> list[NoiseBar]:
    """Return the bars of false alarms, and a bar on whether the pairs could have raised any."""
    bars = [_compare_alarms(row) for row in rows]
    raster = [row for row in rows if not row.setting.is_layout]
    noisiest = max(raster, key=lambda row: row.differing)
    share = noisiest.differing / max(1, noisiest.pairs)
    text = (
        f"{noisiest.setting.name}: {share:.0%} of {noisiest.pairs} pairs differ, "
        f"bar {LEAST_NOISY:.0%} of {FEWEST_PAIRS}"
    )
    return [
        *bars,
        NoiseBar(text, missed=share < LEAST_NOISY or noisiest.pairs < FEWEST_PAIRS),
    ]


def _compare_alarms(row: NoiseRow) -> NoiseBar:
    # Where text is laid out in another way, a large area is no false alarm: lines did move.
    count = row.alarms if row.setting.is_layout else row.large
    return NoiseBar(
        f"{row.setting.name}: {count} of {row.pairs} pairs taken for faintly changed, "
        f"bar {MOST_ALARMS:.1%}",
        missed=count >= MOST_ALARMS * row.pairs,
    )


def _measure(setting: Setting, before: Path, after: Path) -> NoiseRow:
    pairs = differing = changed = large = alarms = 0
    for one, two in _read_pairs(before, after):
        pairs += 1
        if one == two:
            continue
        verdict, marks = compare_with_marks(one, two)
        is_large = marks.pair.find_faint().is_large
        differing += verdict.reason != "identical"
        changed += not verdict.equal
        large += is_large
        alarms += is_large and verdict.equal
    return NoiseRow(setting, pairs, differing, changed, large, alarms)


def _read_pairs(before: Path, after: Path) -> Iterator[tuple[bytes, bytes]]:
    for path in sorted(before.glob("*.png")):
        other = after / path.name
        if other.is_file():
            yield path.read_bytes(), other.read_bytes()


def _write_browser(setting: Setting) -> Path:
    """Write a program for starting the browser with the flags of another machine."""
    browser = find_chromium(None)
    dropped = "|".join(setting.removed) or "--none"
    path = FOLDER / "browsers" / setting.name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "#!/bin/sh\n"
        "for argument do\n"
        "  shift\n"
        f'  case "$argument" in {dropped}) ;; *) set -- "$@" "$argument" ;; esac\n'
        "done\n"
        f'exec {shlex.join([str(browser), *setting.added])} "$@"\n',
        encoding="utf-8",
    )
    path.chmod(0o755)
    return path
