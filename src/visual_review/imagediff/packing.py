"""Pack rectangles into a sheet of limited width, with little room between them; pure."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from visual_review.imagediff.model import Box

Size = tuple[int, int]
Order = Callable[[Size], int]
# None of them is best for all.
ORDERS: Final[tuple[Order, ...]] = (
    lambda size: -size[1],
    lambda size: -size[0],
    lambda size: -size[0] * size[1],
)


@dataclass(frozen=True, slots=True)
class _Step:
    """A level part of the upper edge of what is still free."""

    left: int
    top: int
    right: int


def pack(sizes: Sequence[Size], width: int, gap: int, order: Order) -> list[Box] | None:
    """Return a box for each size, ``gap`` pixels apart, or None if one is wider than ``width``.

    The first in ``order`` are placed first, each as far up as possible, then as far to the left.
    """
    if any(across > width for across, _ in sizes):
        return None
    placed: dict[int, Box] = {}
    edge = [_Step(0, 0, width + gap)]
    for index in sorted(range(len(sizes)), key=lambda at: (order(sizes[at]), at)):
        across, down = sizes[index]
        left, top = min(_places(edge, across + gap), key=lambda place: (place[1], place[0]))
        placed[index] = Box(left, top, across, down)
        edge = _lower(edge, _Step(left, top + down + gap, left + across + gap))
    return [placed[index] for index in range(len(sizes))]


def _places(edge: Sequence[_Step], width: int) -> Iterator[Size]:
    """Yield where something so wide touches the edge from below: left and top."""
    end = edge[-1].right
    for step in edge:
        right = step.left + width
        if right <= end:
            under = [each.top for each in edge if each.left < right and each.right > step.left]
            yield step.left, max(under)


def _lower(edge: Sequence[_Step], new: _Step) -> list[_Step]:
    """Return the edge below what was placed there."""
    lowered = [new]
    for step in edge:
        if step.left < new.left:
            lowered.append(_Step(step.left, step.top, min(step.right, new.left)))
        if step.right > new.right:
            lowered.append(_Step(max(step.left, new.right), step.top, step.right))
    return sorted(lowered, key=lambda step: step.left)
