"""Finds values by the end of a path, without looking at each; pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(slots=True)
class _Node(Generic[T]):
    """Paths with the same end; ``value`` is of the first of them."""

    value: T
    count: int = 0
    before: dict[str, "_Node[T]"] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PathEnds(Generic[T]):
    """Values with the parts of their paths, in a tree from the last part to the first."""

    _last: dict[str, _Node[T]] = field(default_factory=dict)

    def add(self, parts: Sequence[str], value: T) -> None:
        nodes = self._last
        for part in reversed(parts):
            node = nodes.setdefault(part, _Node(value))
            node.count += 1
            nodes = node.before

    def find(self, parts: Sequence[str]) -> tuple[int, T | None]:
        """Return the length of the longest common end, and the value if only one has it."""
        length, longest, nodes = 0, None, self._last
        for part in reversed(parts):
            node = nodes.get(part)
            if node is None:
                break
            length, longest, nodes = length + 1, node, node.before
        return length, longest.value if longest is not None and longest.count == 1 else None
