"""The measurements of a review, their bars, and the tables; pure."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from benchmarks.groups.results import Bar

# At this scale, text of 28 px, as on pages with two pixels per CSS pixel, is 9 px high. Texts round
# the scale.
LEGIBLE: Final = 0.33
MOST_TEXT: Final = 10_000
HEAD: Final = (
    f"{'build':<25}{'calls':>6}{'text':>8}{'images':>8}{'tokens':>8}{'longest':>9}{'kB':>8}"
    f"{'seconds':>9}{'right':>12}{'groups':>8}{'largest':>9}{'saved':>7}"
)


@dataclass(frozen=True)
class Bars:
    """The highest cost of a build's review, and the least right decisions; None means no bar."""

    calls: int | None = None
    tokens: int | None = None
    right: int | None = None
    all_shown: bool = False


@dataclass(frozen=True)
class Row:
    """The review of one build.

    ``decided`` are the decisions by page, ``expected`` the right ones. ``mixed`` are groups with a
    defect and an intended change, ``illegible`` the pages decided without a legible view.
    """

    build: str
    calls: int
    text_tokens: int
    image_tokens: int
    longest_text: int
    bytes: int
    seconds: float
    decided: Mapping[str, str | None]
    expected: Mapping[str, str]
    groups: int
    largest: int
    mixed: tuple[str, ...]
    illegible: tuple[str, ...]
    unreachable: tuple[str, ...]
    problems: tuple[str, ...]

    @property
    def tokens(self) -> int:
        return self.text_tokens + self.image_tokens

    @property
    def right(self) -> int:
        return sum(self.decided.get(name) == given for name, given in self.expected.items())

    @property
    def passed_defects(self) -> list[str]:
        """Return pages with a planted defect and without a rejection."""
        return [
            name
            for name, given in self.expected.items()
            if given == "rejected" and self.decided.get(name) != given
        ]

    def __str__(self) -> str:
        saved = 1 - self.groups / max(1, len(self.expected))
        right = f"{self.right} of {len(self.expected)}"
        return (
            f"{self.build:<25}{self.calls:>6}{self.text_tokens:>8,}{self.image_tokens:>8,}"
            f"{self.tokens:>8,}{self.longest_text:>9,}{self.bytes / 1000:>8,.0f}"
            f"{self.seconds:>9.1f}{right:>12}{self.groups:>8}{self.largest:>9}{saved:>7.0%}"
        )


def compute_bars(row: Row, bars: Bars) -> Iterator[Bar]:
    """Yield the measurement for each bar of the build."""
    name = row.build
    yield _most(f"{name}: tokens of the longest text", row.longest_text, MOST_TEXT)
    yield _none(f"{name}: groups with a defect and an intended change", row.mixed)
    yield _none(f"{name}: planted defects that were not rejected", row.passed_defects)
    yield _none(f"{name}: changes without a number that a call reached", row.unreachable)
    yield _none(f"{name}: images that differ from their texts", row.problems)
    if bars.calls is not None:
        yield _most(f"{name}: calls", row.calls, bars.calls)
    if bars.tokens is not None:
        yield _most(f"{name}: tokens altogether", row.tokens, bars.tokens)
    if bars.right is not None:
        text = f"{name}: {row.right} decided right, bar {bars.right}"
        yield Bar(text, missed=row.right < bars.right)
    if bars.all_shown:
        yield _none(f"{name}: decided without a legible view", row.illegible)


def find_duplicates(numbers: list[int]) -> list[int]:
    """Return numbers seen more than once in a review."""
    return [number for number, count in Counter(numbers).items() if count > 1]


def _most(what: str, value: int, bar: int) -> Bar:
    return Bar(f"{what}: {value:,}, bar {bar:,}", missed=value > bar)


def _none(what: str, found: object) -> Bar:
    listed = list(found) if isinstance(found, (list, tuple)) else [found]
    named = f" ({', '.join(map(str, listed[:10]))})" if listed else ""
    return Bar(f"{what}: {len(listed)}{named}, bar 0", missed=bool(listed))
