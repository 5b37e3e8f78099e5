"""Compute the verdicts of many pairs in threads, and store some at a time.

Verdicts are stored soon, so that an interrupted build continues with the rest.
"""

import time
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field
from functools import cache, partial
from threading import BoundedSemaphore
from typing import Final, TypeVar

from visual_review.builds.comparing.verdict_cache import (
    LARGE_FIELDS,
    Pair,
    make_comparison,
    needs_diff_image,
)
from visual_review.builds.images.blob_deletions import store_with_rows
from visual_review.builds.images.blob_keys import diff_image_key, image_key
from visual_review.builds.images.image_memory import image_limits, image_memory
from visual_review.builds.models import Comparison
from visual_review.builds.time_slices import TimeSliceEndedError
from visual_review.imagediff import ImageError, compare_with_marks
from visual_review.imagediff.changes.analysis import analyze
from visual_review.imagediff.memory import keep_freed_memory
from visual_review.kernel.blobs import BlobMissingError, BlobStore, blob_store
from visual_review.kernel.metrics import COMPARISON_SECONDS
from visual_review.kernel.usable_cores import usable_cores

T = TypeVar("T")
R = TypeVar("R")
# While some threads compute, readers wait for images: remote storage has a high latency.
REMOTE_READERS: Final = 8
LOCAL_READERS: Final = 1
# Enough for the images of most pairs; the process keeps the memory while nothing is compared.
KEPT_BYTES: Final = 64 * 1024 * 1024
# Remote storage has a high latency, and several requests take no longer than one.
CONNECTIONS: Final = 8
# Diff images wait in memory until the verdicts are written.
STORED_AT_ONCE: Final = 64
BYTES_AT_ONCE: Final = 16 * 1024 * 1024
# An interrupted build loses no more than this time's verdicts, and the pairs in progress.
SECONDS_BETWEEN: Final = 1.0


class ComparisonThreads:
    """Threads for reading images; as many compute at the same time as there are cores.

    All builds being processed at the same time share the threads. Builds take turns, because each
    build hands in only a few pairs at a time and the threads work in the order of arrival.
    """

    def __init__(self, cores: int, readers: int) -> None:
        self._count = cores + readers
        self._pool = ThreadPoolExecutor(self._count, "compare")
        self._cores = BoundedSemaphore(cores)

    def core(self) -> AbstractContextManager[object]:
        """Hold one of the cores while computing."""
        return self._cores

    def run(self, work: Callable[[T], R], items: Iterable[T]) -> Generator[R, None, None]:
        """Yield the results in any order; ``items`` are read in this thread, one at a time.

        Close the iterator to stop early: at its end, none of its work is running any more.
        """
        running: set[Future[R]] = set()
        try:
            for item in items:
                running.add(self._pool.submit(work, item))
                if len(running) == self._count:
                    yield from _take_results(running)
            while running:
                yield from _take_results(running)
        finally:
            for each in running:
                each.cancel()
            wait(running)


def _take_results(running: set[Future[R]]) -> list[R]:
    """Wait for the next result, and remove all finished futures."""
    done = wait(running, return_when=FIRST_COMPLETED).done
    running -= done
    return [each.result() for each in done]


@cache
def comparison_threads() -> ComparisonThreads:
    """Return the threads of this process."""
    keep_freed_memory(KEPT_BYTES)
    remote = blob_store().folder is None
    return ComparisonThreads(usable_cores(), REMOTE_READERS if remote else LOCAL_READERS)


@dataclass(frozen=True)
class FailedPair:
    """A pair that cannot be compared; ``reason`` is for users."""

    key: str
    reason: str


@dataclass(frozen=True)
class ComputedVerdict:
    """A verdict not stored yet, with its diff image if needed."""

    row: Comparison
    diff_image: bytes | None

    @property
    def size(self) -> int:
        return len(self.diff_image or b"")


@dataclass
class _Slice:
    """Pairs to compare until the time slice ends."""

    pairs: Iterable[Pair]
    check_time: Callable[[], None]
    ended: TimeSliceEndedError | None = None

    def __iter__(self) -> Iterator[Pair]:
        for pair in self.pairs:
            try:
                self.check_time()
            except TimeSliceEndedError as error:
                # Pairs in progress are finished and stored first, so that each slice makes
                # progress.
                self.ended = error
                return
            yield pair


@dataclass
class _VerdictBuffer:
    """Verdicts waiting to be stored together."""

    organization_id: str
    blobs: BlobStore
    verdicts: list[ComputedVerdict] = field(default_factory=list)
    stored_at: float = field(default_factory=time.monotonic)

    def add(self, verdict: ComputedVerdict) -> None:
        self.verdicts.append(verdict)

    @property
    def is_due(self) -> bool:
        return bool(self.verdicts) and (
            len(self.verdicts) >= STORED_AT_ONCE
            or sum(each.size for each in self.verdicts) >= BYTES_AT_ONCE
            or time.monotonic() >= self.stored_at + SECONDS_BETWEEN
        )

    def store(self) -> dict[str, Comparison]:
        """Store all verdicts and return the rows by key; if another worker was faster, its rows."""
        rows = [each.row for each in self.verdicts]
        keys = [diff_image_key(each.row) for each in self.verdicts if each.diff_image is not None]
        store_with_rows(
            keys,
            self._put_all,
            lambda _: Comparison.objects.bulk_create(rows, ignore_conflicts=True),
        )
        self.verdicts = []
        self.stored_at = time.monotonic()
        found = Comparison.objects.filter(
            organization_id=self.organization_id, key__in=[row.key for row in rows]
        ).defer(*LARGE_FIELDS)
        return {row.key: row for row in found}

    def _put_all(self) -> None:
        with ThreadPoolExecutor(CONNECTIONS, "store") as pool:
            list(pool.map(self._put, self.verdicts))

    def _put(self, verdict: ComputedVerdict) -> None:
        if verdict.diff_image is not None:
            self.blobs.put(diff_image_key(verdict.row), verdict.diff_image)


def compare_pairs(
    organization_id: str, pairs: Iterable[Pair], check_time: Callable[[], None]
) -> dict[str, Comparison | FailedPair]:
    """Compute and store the verdict on each pair; return the rows by the pair's key.

    Raises the errors of ``check_time``, called before each pair, after all begun pairs are stored.
    Raises UnavailableError if the storage fails. Two workers may compute the same pair at once; the
    first row stays, and both images have the same bytes.
    """
    results: dict[str, Comparison | FailedPair] = {}
    # Several screenshots may show the same change.
    part = _Slice({pair.key: pair for pair in pairs}.values(), check_time)
    unstored = _VerdictBuffer(organization_id, blob_store())
    compare = partial(compare_pair, organization_id, unstored.blobs)
    with closing(comparison_threads().run(compare, part)) as outcomes:
        for outcome in outcomes:
            if isinstance(outcome, FailedPair):
                results[outcome.key] = outcome
            else:
                unstored.add(outcome)
            if unstored.is_due:
                results |= unstored.store()
    if unstored.verdicts:
        results |= unstored.store()
    if part.ended is not None:
        raise part.ended
    return results


def compare_pair(
    organization_id: str, blobs: BlobStore, pair: Pair
) -> ComputedVerdict | FailedPair:
    """Compare one pair. Runs in a thread, without the database."""
    try:
        with image_memory().reserve(organization_id, pair.memory):
            before, after = (blobs.get(image_key(image)) for image in (pair.before, pair.after))
            with comparison_threads().core(), COMPARISON_SECONDS.time():
                verdict, marks = compare_with_marks(before, after, pair.options(), image_limits())
                analysis = analyze(marks)
                is_shown = needs_diff_image(verdict, analysis)
                diff_image = marks.pair.draw() if is_shown else None
    except (ImageError, BlobMissingError) as error:
        return FailedPair(pair.key, f"The comparison failed: {error}")
    row = make_comparison(organization_id, pair.key, verdict, analysis)
    return ComputedVerdict(row, diff_image)
