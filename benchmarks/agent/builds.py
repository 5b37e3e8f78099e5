"""The builds for the scripted reviewer, as files before and after; pure but for reading."""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from scripts.setup_steps import SAMPLES

from benchmarks.agent.defects import DEFECTS, plant
from benchmarks.groups.builds import Shot, make_shot
from visual_review.imagediff.changes.grouping import group_changes

PAIRS: Final = SAMPLES / "pairs"
REAL: Final = ("gravity-menu", "gravity-layout")
CHANGES: Final = 41
DEFECTIVE: Final = 18
# Of the intended changes, so many are alone; all others recur in at least one more screenshot.
ALONE: Final = 2
PLAYWRIGHT: Final = re.compile(
    r"(?P<story>.+?)(?:---(?P<width>[a-z]+))?-(?P<theme>light|dark)-(?P<browser>\w+)-linux\.png"
)
WIDE: Final = ("xl", "xxl", "xxxl")
DEVICES: Final = dict(zip((*"sml", *WIDE), ("phone", "tablet", "desktop") * 2, strict=True))
MESSAGE: Final = (
    "Give menu items more room, and label the boxes of the layout stories in a monospaced font"
)


@dataclass(frozen=True)
class Page:
    """One file of a build; ``defect`` is empty if every change of the page is intended."""

    name: str
    before: bytes
    after: bytes
    defect: str = ""


@dataclass(frozen=True)
class BuildPlan:
    """All pages to publish; pages with different sides are the changes."""

    name: str
    message: str
    pages: tuple[Page, ...]

    @property
    def changed(self) -> tuple[Page, ...]:
        return tuple(page for page in self.pages if page.before != page.after)

    @property
    def defective(self) -> tuple[Page, ...]:
        return tuple(page for page in self.pages if page.defect)


def is_available() -> bool:
    """Whether the samples have the real pairs."""
    return all((PAIRS / name).is_dir() for name in REAL)


def plan_real_build(seed: int) -> BuildPlan:
    """Return 41 changes of the real pairs; the seed chooses them and plants 18 defects."""
    rng = random.Random(f"real {seed}")
    shots = read_changed_pairs()
    intended = _choose_intended(rng, list(shots.values()))
    rest = [name for name in shots if name not in intended]
    pages = [_page_of(shots[name]) for name in intended]
    pages += _plant_each(rng, [shots[name] for name in rest], DEFECTIVE, seed)
    return BuildPlan("41 changes", MESSAGE, tuple(sorted(pages, key=lambda page: page.name)))


def read_changed_pairs() -> dict[str, Shot]:
    """Return every pair with a difference, by the unique name of component and file."""
    shots = (make_shot(*found) for folder in REAL for found in _read_pairs(PAIRS / folder))
    return {shot.name: shot for shot in shots if shot is not None}


def _read_pairs(folder: Path) -> Iterator[tuple[str, bytes, bytes]]:
    for path in sorted((folder / "after").rglob("*.png")):
        name = path.relative_to(folder / "after")
        before = folder / "before" / name
        if before.is_file() and before.read_bytes() != path.read_bytes():
            yield rename(name), before.read_bytes(), path.read_bytes()


def rename(file: Path) -> str:
    """Return the name of a Playwright screenshot in the style of Storybook.

    Six widths of a page become the three devices of two stories.
    """
    component = file.parent.parent.parent.name
    found = PLAYWRIGHT.fullmatch(file.name.removeprefix(f"{component}-"))
    if found is None:
        raise ValueError(f"{file} is not named as Playwright names screenshots.")
    width = found["width"] or ""
    wide = "-wide" if width in WIDE else ""
    browser = "" if found["browser"] == "chromium" else f"-{found['browser']}"
    story = f"{component}--{found['story']}{wide}{browser}".lower()
    return f"{story}--{found['theme']}-{DEVICES.get(width, 'desktop')}.png"


def _choose_intended(rng: random.Random, shots: Sequence[Shot]) -> list[str]:
    """Choose mostly recurring changes, as in a branch with one changed component."""
    groups = [group.members for group in group_changes([shot.changed for shot in shots])]
    alone = [members[0] for members in groups if len(members) == 1]
    recurring = [list(members) for members in groups if len(members) > 1]
    rng.shuffle(recurring)
    chosen = rng.sample(alone, ALONE)
    wanted = CHANGES - DEFECTIVE
    for members in recurring:
        size = _size_of(rng, len(members), wanted - len(chosen))
        chosen += rng.sample(members, size)
    return chosen


def _size_of(rng: random.Random, members: int, room: int) -> int:
    """Return how many of a group to take, such that a change is never alone; 0 for none."""
    size = min(members, room, rng.choice((2, 3, 4)))
    if room - size == 1:
        size = size + 1 if size < members else size - 1
    return size if size > 1 else 0


def _plant_each(rng: random.Random, shots: Sequence[Shot], count: int, seed: int) -> Iterator[Page]:
    """Yield so many pages with a defect on top of their real change; the kinds take turns."""
    kinds, planted = list(DEFECTS), 0
    for shot in rng.sample(list(shots), len(shots)):
        if planted == count:
            return
        kind = kinds[planted % len(kinds)]
        defect = plant(shot.after, kind, f"{shot.name} {seed}", shot.before)
        if defect is not None:
            planted += 1
            yield Page(shot.name, shot.before, defect.png, kind)


def _page_of(shot: Shot) -> Page:
    return Page(shot.name, shot.before, shot.after)


def write_side(folder: Path, pages: Sequence[Page], side: str) -> Path:
    """Write one side of all pages as files; return the folder."""
    sides: Mapping[str, str] = {"before": "before", "after": "after"}
    for page in pages:
        path = folder / page.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(getattr(page, sides[side]))
    return folder
