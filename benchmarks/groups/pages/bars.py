"""Results of comparing rendered pages against the bars, with a table for people."""

import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from benchmarks.groups.pages.measure import MixedBuild, Page, analyze_pages, measure_mixed
from benchmarks.groups.pages.render import FULL, INTENDED, WIDTHS, WINDOW, load_pages
from benchmarks.groups.results import Bar
from visual_review.imagediff.changes.grouping import ChangedScreenshot, group_changes

# Each intended change alone, on the pages of one width, and of all widths together.
MOST_GROUPS, MOST_OF_ALL = 6, 15
LEAST_SAVED: Final = 0.55
LEAST_FIRST: Final = 0.9
LEAST_FOUND: Final = 0.975
MOST_SCREENSHOTS, MOST_SECONDS, OWN = 12_000, 5, 0.5
SETS: Final = (*((width, FULL) for width in WIDTHS), (WIDTHS[0], WINDOW))
HEAD: Final = (
    f"{'pages':<20}{'intended':<18}{'pages':>6}{'groups':>8}{'rest':>6}"
    f"{'defects':>9}{'groups':>8}{'alone':>7}{'saved':>7}{'first':>7}{'hidden':>8}"
)


def measure_pages(which: str) -> Iterator[str | Bar]:
    """Render, group, and yield the lines of a table and the bars of one set of pages."""
    yield HEAD
    by_set: list[list[Page]] = []
    for width, mode in SETS:
        pages = load_pages(which, width, mode)
        by_set.append(analyze_pages(pages, pages.renderings))
        yield from _measure_set(f"{which} {width} {mode}", by_set[-1], MOST_GROUPS)
    full = [
        page for each, (_, mode) in zip(by_set, SETS, strict=True) if mode == FULL for page in each
    ]
    yield from _measure_set(f"{which} all widths", full, MOST_OF_ALL)
    yield from _measure_found(which, [page for each in by_set for page in each])
    yield from _measure_size(which, full)


def _measure_set(name: str, found: Sequence[Page], most: int) -> Iterator[str | Bar]:
    rows = [measure_mixed(found, intended) for intended in INTENDED]
    for row in rows:
        yield _format(name, row)
        yield Bar(
            f"{name}, {row.intended}: {row.clean} groups, bar {most}", missed=row.clean > most
        )
        hidden = "".join(f"\n  {line}" for line in row.hidden)
        yield Bar(
            f"{name}, {row.intended}: {len(row.hidden)} defects in a group, bar 0{hidden}",
            missed=bool(row.hidden),
        )
    saved = 1 - sum(row.groups + row.alone for row in rows) / sum(row.pages for row in rows)
    yield Bar(f"{name}: {saved:.0%} saved, bar {LEAST_SAVED:.0%}", missed=saved < LEAST_SAVED)
    first = sum(row.first for row in rows) / sum(row.pairs for row in rows)
    yield Bar(
        f"{name}: a defect comes first in {first:.0%}, bar {LEAST_FIRST:.0%}",
        missed=first < LEAST_FIRST,
    )


def _format(name: str, row: MixedBuild) -> str:
    return (
        f"{name:<20}{row.intended:<18}{row.pages:>6}{row.clean:>8}{row.rest:>6}{row.defects:>9}"
        f"{row.groups:>8}{row.alone:>7}{row.saved:>7.0%}{row.first / max(1, row.pairs):>7.0%}"
        f"{len(row.hidden):>8}"
    )


def _measure_size(which: str, found: Sequence[Page]) -> Iterator[str | Bar]:
    """Group a build of as many screenshots as one may have, half of their parts like others."""
    shots = [page.changed for page in found if page.changed]
    rng = random.Random(which)
    varied = [_vary(shots[at % len(shots)], at, rng) for at in range(MOST_SCREENSHOTS)]
    start = time.process_time()
    groups = group_changes(varied)
    seconds = time.process_time() - start
    text = f"{which}: {len(varied):,} screenshots in {len(groups):,} groups in {seconds:.1f} s"
    yield Bar(f"{text}, bar {MOST_SECONDS} s", missed=seconds > MOST_SECONDS)


def _vary(shot: ChangedScreenshot, number: int, rng: random.Random) -> ChangedScreenshot:
    """Return the screenshot as another one, with every second part changed."""
    signature = shot.analysis.signature
    parts = tuple(
        part if rng.random() < OWN else replace(part, digest=f"{part.digest[:20]}{number:012}")
        for part in signature.parts or ()
    )
    analysis = replace(shot.analysis, signature=replace(signature, parts=parts))
    name = f"{shot.story} {number}"
    return replace(shot, key=name, story=name, analysis=analysis)


def _measure_found(which: str, found: Sequence[Page]) -> Iterator[str | Bar]:
    visible = [page for page in found if page.is_visible]
    missed = Counter(page.rendering.defect for page in visible if not page.is_found)
    share = 1 - missed.total() / len(visible)
    kinds = ", ".join(f"{kind} {count}" for kind, count in missed.most_common())
    yield f"{which}: {len(visible) - missed.total()} of {len(visible)} defects found; missed: {kinds}"
    yield Bar(f"{which}: {share:.1%} found, bar {LEAST_FOUND:.1%}", missed=share < LEAST_FOUND)
