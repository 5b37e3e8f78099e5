"""Grouping and order of rendered pages: intended changes alone, and with defects."""

import io
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from PIL import Image, ImageChops

from benchmarks.groups.pages.render import (
    FULL,
    WITH_DEFECT,
    PageSet,
    RenderedPage,
    pictures,
)
from visual_review.imagediff import compare_with_marks
from visual_review.imagediff.changes.analysis import analyze
from visual_review.imagediff.changes.grouping import ChangedScreenshot, Group, group_changes

# The least a person can see of a defect: so many pixels with a difference of so many levels.
VISIBLE_LEVELS, VISIBLE_PIXELS = 16, 8
SCROLLBAR: Final = 15
# Names of devices, by the width of pages.
DEVICES: Final = {1280: "desktop", 820: "tablet", 390: "phone"}


@dataclass(frozen=True)
class Page:
    """A page with its changes; ``changed`` is None where the comparison finds none.

    ``is_visible`` if a person can see the defect, and ``is_found`` if the comparison does.
    """

    rendering: RenderedPage
    changed: ChangedScreenshot | None
    is_visible: bool = False
    is_found: bool = False


@dataclass(frozen=True)
class MixedBuild:
    """One build: an intended change on all pages, and defects on some.

    ``clean`` counts the groups without defects, and ``rest`` the pages with a remainder then.
    ``groups`` and ``alone`` count groups and screenshots alone with defects. ``hidden`` are found
    defects in a group with pages without the same defect. ``pairs`` counts pairs of a defect and a
    page without one; in ``first`` of them, the defect comes first.
    """

    intended: str
    pages: int
    clean: int
    rest: int
    defects: int
    groups: int
    alone: int
    hidden: tuple[str, ...]
    first: int
    pairs: int

    @property
    def saved(self) -> float:
        return 1 - (self.groups + self.alone) / self.pages


def analyze_pages(pages: PageSet, chosen: Sequence[RenderedPage]) -> list[Page]:
    found = []
    clean: dict[tuple[str, str], bytes] = {}
    for each, before, after in pictures(pages, chosen):
        if not each.defect:
            clean[each.page, each.intended] = after
        shot = _make_shot(pages, each, before, after)
        if not each.defect:
            found.append(Page(each, shot))
            continue
        without = clean[each.page, each.intended] if each.intended else before
        is_visible = _differ(*_crop(pages, without, after))
        alone = _make_shot(pages, each, without, after) if each.intended else shot
        found.append(Page(each, shot, is_visible, alone is not None))
    return found


def _crop(pages: PageSet, *images: bytes) -> Iterator[bytes]:
    """Leave out the scrollbar: content below the window changes the bar, but is not visible."""
    for image in images:
        if pages.mode == FULL:
            yield image
            continue
        target = io.BytesIO()
        with Image.open(io.BytesIO(image)) as opened:
            opened.crop((0, 0, opened.width - SCROLLBAR, opened.height)).save(target, "PNG")
        yield target.getvalue()


def _differ(one: bytes, two: bytes) -> bool:
    """Return whether a person can see the difference; edges rounded elsewhere are none."""
    if one == two:
        return False
    verdict, marks = compare_with_marks(one, two)
    if not verdict.equal or marks.pair.find_faint().is_large or not marks.same_size:
        return True
    first, second = (Image.open(io.BytesIO(each)).convert("RGB") for each in (one, two))
    pixels = np.asarray(ImageChops.difference(first, second)).max(axis=2)
    return int((pixels > VISIBLE_LEVELS).sum()) >= VISIBLE_PIXELS


def _make_shot(
    pages: PageSet, each: RenderedPage, before: bytes, after: bytes
) -> ChangedScreenshot | None:
    _, marks = compare_with_marks(before, after)
    analysis = analyze(marks)
    if analysis.kind is None:
        return None
    return ChangedScreenshot(
        *(f"{each.page} {pages.width}", each.page.partition("--")[0], each.page),
        *(DEVICES[pages.width], marks.before, marks.after, analysis),
    )


def measure_mixed(found: Iterable[Page], intended: str) -> MixedBuild:
    """Group a build twice: with the intended change alone, and with a defect on some pages."""
    pages = [each for each in found if each.rendering.intended == intended and each.changed]
    clean = {each.changed.key: each.changed for each in pages if not each.rendering.defect}
    planted: dict[str, Page] = {}
    for each in pages:
        if each.is_visible and each.is_found and each.changed is not None:
            planted.setdefault(each.changed.key, each)
    chosen = random.Random(intended).sample(
        sorted(planted), min(len(planted), round(WITH_DEFECT * len(clean)))
    )
    kinds = {key: planted[key].rendering.defect for key in chosen}
    shots = [planted[key].changed if key in kinds else shot for key, shot in clean.items()]
    groups = group_changes([shot for shot in shots if shot is not None])
    first, pairs = _count_first(groups, kinds)
    without = group_changes(list(clean.values()))
    rest = {key for group in without for key in group.remainders}
    return MixedBuild(
        *(intended, len(clean), sum(not rest.issuperset(each.members) for each in without)),
        *(len(rest), len(kinds)),
        groups=sum(len(group.members) > 1 for group in groups),
        alone=sum(len(group.members) == 1 for group in groups),
        hidden=tuple(_find_hidden(groups, kinds)),
        first=first,
        pairs=pairs,
    )


def _find_hidden(groups: Sequence[Group], kinds: dict[str, str]) -> Iterable[str]:
    """Yield each defect in a group with members that lack a defect of the same kind."""
    for group in groups:
        for member in group.members:
            if member in kinds and any(kinds.get(each) != kinds[member] for each in group.members):
                yield f"{kinds[member]} on {member} in {group.name!r} of {len(group.members)}"


def _count_first(groups: Sequence[Group], kinds: dict[str, str]) -> tuple[int, int]:
    ordered = [key for group in groups for key in group.members]
    at = {key: index for index, key in enumerate(ordered)}
    others = [key for key in ordered if key not in kinds]
    pairs = [(at[defect], at[other]) for defect in kinds for other in others]
    return sum(one < two for one, two in pairs), len(pairs)
