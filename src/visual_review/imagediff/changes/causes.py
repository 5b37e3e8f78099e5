"""The causes shared by the screenshots of a build, and the changes of only one screenshot; pure."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from visual_review.imagediff.changes.model import Analysis, Part
from visual_review.imagediff.changes.similarity import are_alike, sizes_near
from visual_review.imagediff.changes.wording import SCROLLBAR

Size = tuple[int, int]
# A cause is about as common if a third as many screenshots have the cause.
COMMON: Final = 3
# A cause as text, such as "content 5f0c..." or "colors #0b6e4f #7a1f5c".
Cause = str
# Of a set of causes: content moved as well, by whatever distance.
MOVED: Final[Cause] = "moved"
# So many screenshots share a content, or where colors or distances alone are the same.
LEAST_ALIKE, LEAST_VAGUE = 2, 3
# A part is compared with so many of its size, and all parts of a build with so many in all. The
# limits cost decisions and hide nothing.
MOST_OF_SIZE, MOST_COMPARED = 100, 200_000


@dataclass(frozen=True, slots=True)
class ChangedScreenshot:
    """A changed screenshot; ``key`` identifies the screenshot for the caller.

    ``family`` is the story's family, such as a component. ``before`` and ``after`` are width and
    height in pixels.
    """

    key: str
    family: str
    story: str
    device: str
    before: Size
    after: Size
    analysis: Analysis


@dataclass(frozen=True, slots=True)
class Explanation:
    """The shared ``causes`` of a screenshot, and how many changes are ``own``, only here."""

    causes: frozenset[Cause]
    own: int


@dataclass(frozen=True, slots=True)
class _Candidates:
    """The possibly shared causes: content and colors of each part, moves, and growth."""

    parts: tuple[tuple[Cause, Cause | None], ...]
    # How far down each move is.
    moves: Mapping[Cause, int]
    # How much wider and taller the image became.
    grown: Size
    # Whether the scrollbar differs, too.
    has_scrollbar: bool

    @property
    def growth(self) -> Cause | None:
        return f"size {self.grown[0]} {self.grown[1]}" if any(self.grown) else None

    def __iter__(self) -> Iterator[Cause]:
        found = {cause for part in self.parts for cause in part if cause is not None}
        yield from found | self.moves.keys()
        if self.growth is not None:
            yield self.growth


def explain_changes(shots: Sequence[ChangedScreenshot]) -> list[Explanation]:
    """Return for each screenshot the causes shared with others of the build.

    A part is shared if others have the same content there, or an element with the same new color.
    Moved content and another size are shared if more screenshots have them, or all of a family.
    """
    same = _join_alike(part for shot in shots for part in shot.analysis.signature.parts or ())
    candidates = [_find_candidates(shot, same) for shot in shots]
    support = Counter(cause for each in candidates for cause in each)
    twins = Counter(_whole(shot, each) for shot, each in zip(shots, candidates, strict=True))
    explained = [
        _explain(each, support, has_twin=twins[_whole(shot, each)] > 1)
        for shot, each in zip(shots, candidates, strict=True)
    ]
    leading = [_find_leading(each, support) for each in explained]
    followed = Counter(leading)
    moved = Counter(
        cause for cause, each in zip(leading, explained, strict=True) if MOVED in each.causes
    )
    rarely = {cause for cause in moved if moved[cause] * COMMON < followed[cause]}
    return [
        # If the cause moves nothing on most pages, moved content is another change.
        Explanation(each.causes - {MOVED}, each.own + 1)
        if MOVED in each.causes and cause in rarely
        else _drop_lesser(each, cause, support)
        for cause, each in zip(leading, explained, strict=True)
    ]


def _find_leading(found: Explanation, support: Counter[Cause]) -> Cause:
    """Return the most common cause of a screenshot."""
    return min(found.causes - {MOVED}, key=lambda cause: (-support[cause], cause), default=MOVED)


def _drop_lesser(found: Explanation, leading: Cause, support: Counter[Cause]) -> Explanation:
    """Leave out causes about as common as the most common one, if content moved.

    The causes belong together: which of several neighboring elements are recognized as moved
    depends on the rest of the page.
    """
    if MOVED not in found.causes:
        return found
    causes = {each for each in found.causes if support[each] * COMMON < support[leading]}
    return Explanation(frozenset({*causes, leading, MOVED}), found.own)


def content_of(part: Part) -> Cause:
    return f"content {part.digest}"


def colors_of(part: Part) -> Cause | None:
    return f"colors {' '.join(part.recolored)}" if part.recolored else None


def _find_candidates(shot: ChangedScreenshot, same: Mapping[str, Part]) -> _Candidates:
    signature = shot.analysis.signature
    if signature.parts is None:
        # Too many parts to be compared with anything.
        return _Candidates(((f"content {shot.key}", None),), {}, (0, 0), has_scrollbar=False)
    parts = [part for part in signature.parts if part.what != SCROLLBAR]
    return _Candidates(
        parts=tuple((content_of(same.get(part.digest, part)), colors_of(part)) for part in parts),
        moves={f"moved {each.offset.x} {each.offset.y}": each.offset.y for each in signature.moves},
        grown=(shot.after[0] - shot.before[0], shot.after[1] - shot.before[1]),
        has_scrollbar=len(parts) < len(signature.parts),
    )


def _whole(shot: ChangedScreenshot, candidates: _Candidates) -> tuple[str, frozenset[Cause]]:
    return shot.family, frozenset(candidates)


def _explain(each: _Candidates, support: Counter[Cause], *, has_twin: bool) -> Explanation:
    chosen = [_choose(content, colors, support) for content, colors in each.parts]
    causes = {cause for cause in chosen if cause is not None}
    least = LEAST_ALIKE if has_twin else LEAST_VAGUE
    moves = {cause for cause in each.moves if support[cause] >= least}
    own = chosen.count(None) + len(each.moves) - len(moves)
    if each.growth is not None and not _follows(each, moves):
        if support[each.growth] < least:
            own += 1
        else:
            causes.add(each.growth)
    if each.moves or each.growth:
        causes.add(MOVED)
        if causes == {MOVED} and moves:
            causes.add(min(moves, key=lambda cause: (-support[cause], cause)))
    if not causes and not own:
        # Only the length of the scrollbar's thumb is left. Anything else is its own cause.
        return Explanation(frozenset({SCROLLBAR}), 0 if each.has_scrollbar else 1)
    return Explanation(frozenset(causes), own)


def _choose(content: Cause, colors: Cause | None, support: Counter[Cause]) -> Cause | None:
    """Return the cause shared by more screenshots; of equally common ones, the content."""
    alike = support[content] if support[content] >= LEAST_ALIKE else 0
    recolored = support[colors] if colors and support[colors] >= LEAST_VAGUE else 0
    if not (alike or recolored):
        return None
    return content if alike >= recolored else colors


def _follows(each: _Candidates, moves: Iterable[Cause]) -> bool:
    """Return whether moved content explains the size: a page is as high as a window at least."""
    wider, taller = each.grown
    down = [each.moves[move] for move in moves]
    return not wider and any(0 < taller <= by or 0 > taller >= by for by in down)


def _join_alike(parts: Iterable[Part]) -> dict[str, Part]:
    """Return by digest one part for all parts alike apart from rounding."""
    # In an order independent of the screenshots.
    sketched = {part.digest: part for part in parts if part.sketch}
    clusters: dict[Size, list[list[Part]]] = {}
    found: dict[str, Part] = {}
    left = MOST_COMPARED
    for _, part in sorted(sketched.items()):
        own, *near = sizes_near(part)
        candidates = [each for size in (own, *near) for each in clusters.get(size, ())]
        home: list[Part] | None = None
        # Each is like every other of its cluster: a chain of small differences joins nothing.
        for each in candidates[:MOST_OF_SIZE]:
            left -= len(each)
            if left > 0 and all(are_alike(part, other) for other in each):
                home = each
                break
        if home is None:
            home = []
            clusters.setdefault(own, []).append(home)
        home.append(part)
        found[part.digest] = home[0]
    return found
