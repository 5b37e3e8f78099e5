"""Compare one pair of files."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final, Literal, Protocol

from visual_review.client.comparing.errors import UnreadableFileError
from visual_review.client.comparing.other_formats import convert_to_png, read_file
from visual_review.client.comparing.outcomes import Outcome, ReportFiles, State
from visual_review.client.comparing.pairs import Pair
from visual_review.client.comparing.settings import Settings
from visual_review.client.comparing.threads import MemoryLimit
from visual_review.imagediff import (
    DEFAULT_LIMITS,
    ImageError,
    Verdict,
    compare,
    compare_with_marks,
    hash_pixels,
    probe,
)
from visual_review.imagediff.changes.analysis import analyze
from visual_review.imagediff.changes.model import Analysis
from visual_review.imagediff.memory import comparison_memory, hashing_memory

LIMITS: Final = DEFAULT_LIMITS
Side = Literal["before", "after"]


@dataclass(frozen=True, slots=True)
class ComparedImages:
    """Two files, the same images as PNG files, the differences, and the diff image."""

    files: tuple[bytes, bytes]
    images: tuple[bytes, bytes]
    verdict: Verdict
    analysis: Analysis
    difference: bytes


class ReportWriter(Protocol):
    """Writes the files of a report; called from several threads. Methods raise OutputError."""

    def write_change(self, name: str, compared: ComparedImages) -> ReportFiles:
        """Write both files, their difference and their composite."""

    def write_single(self, name: str, side: Side, file: bytes) -> ReportFiles:
        """Write the file of a new or removed image."""


@dataclass(frozen=True, slots=True)
class Context:
    """What all pairs of a comparison share."""

    settings: Settings
    report: ReportWriter | None
    memory: MemoryLimit


def compare_pair(pair: Pair, context: Context) -> Outcome:
    """Compare one pair and write the pair's part of the report; a bad file makes a failed outcome.

    Raises OutputError.
    """
    if pair.problem is not None:
        return Outcome(pair.name, "failed", message=pair.problem)
    try:
        if pair.before is None or pair.after is None:
            return _check_single(pair, context)
        return _compare_files(pair, pair.before, pair.after, context)
    except UnreadableFileError as error:
        return Outcome(pair.name, "failed", message=str(error))
    except ImageError as error:
        where = f"{error.side}: " if error.side else ""
        return Outcome(pair.name, "failed", message=f"{where}{error}")


def _check_single(pair: Pair, context: Context) -> Outcome:
    side: Side = "after" if pair.before is None else "before"
    with _named(side):
        file = read_file(pair.after or pair.before or "", LIMITS)
        image, size = _convert(file)
        # A damaged one is no new image, and could not be shown.
        with context.memory.reserve(hashing_memory(probe(image, LIMITS))):
            hash_pixels(image, LIMITS)
    report = context.report
    files = None if report is None else report.write_single(pair.name, side, file)
    state: State = "new" if side == "after" else "removed"
    return Outcome(pair.name, state, sizes=(size,), files=files)


def _compare_files(pair: Pair, before: str, after: str, context: Context) -> Outcome:
    with _named("before"):
        old_file = read_file(before, LIMITS)
    with _named("after"):
        new_file = read_file(after, LIMITS)
    if old_file == new_file:
        return Outcome(pair.name, "unchanged", _accept_equal_bytes(old_file))
    with _named("before"):
        old, old_size = _convert(old_file)
    with _named("after"):
        new, new_size = _convert(new_file)
    area = (max(old_size[0], new_size[0]), max(old_size[1], new_size[1]))
    with context.memory.reserve(comparison_memory(old_size, new_size)):
        options = pair.options or context.settings.options(*area)
        verdict, marks = compare_with_marks(old, new, options, LIMITS)
        analysis = analyze(marks)
        found = Outcome(pair.name, "unchanged", verdict, analysis)
        if not context.settings.differs(verdict, analysis):
            return found
        if context.settings.tolerates(verdict, analysis, marks.counts.compared):
            return replace(found, tolerated=True)
        files = None
        if context.report is not None:
            compared = ComparedImages(
                (old_file, new_file), (old, new), verdict, analysis, marks.pair.draw()
            )
            files = context.report.write_change(pair.name, compared)
    sizes = (marks.before, marks.after)
    return replace(found, state="changed", sizes=sizes, files=files)


def _accept_equal_bytes(data: bytes) -> Verdict:
    image = convert_to_png(data, LIMITS)
    return compare(image, image, limits=LIMITS)


def _convert(file: bytes) -> tuple[bytes, tuple[int, int]]:
    """Return the image as a PNG, and the image's size."""
    image = convert_to_png(file, LIMITS)
    header = probe(image, LIMITS)
    return image, (header.width, header.height)


@contextmanager
def _named(side: Side) -> Iterator[None]:
    """Add the name of the side to errors about a file."""
    try:
        yield
    except UnreadableFileError as error:
        raise UnreadableFileError(f"{side}: {error}") from error
    except ImageError as error:
        error.side = side
        raise
