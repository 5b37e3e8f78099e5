"""Compares the captured images with the baseline's images, which are fetched if needed."""

import hashlib
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from visual_review.client.capture import Variant, clip_regions, file_name
from visual_review.client.checking.baseline import BaselineEntry, BaselineService, Key
from visual_review.client.checking.cache import Cache
from visual_review.client.checking.groups import CheckedScreenshot, Findings, group_screenshots
from visual_review.client.comparing.comparison import Context, ReportWriter, compare_pair
from visual_review.client.comparing.outcomes import Outcome
from visual_review.client.comparing.pairs import Pair
from visual_review.client.comparing.settings import Settings
from visual_review.client.comparing.threads import MemoryLimit, map_in_order, usable_memory
from visual_review.client.progress import Reporter
from visual_review.client.publishing.build_images import BuildContents, Entry
from visual_review.client.transport.errors import ServiceError
from visual_review.imagediff import DEFAULT_OPTIONS, Options, Region
from visual_review.imagediff.ignored_rectangles import (
    Rectangle,
    Rectangles,
    as_fractions,
    find_ignored,
)
from visual_review.imagediff.rectangles import unite

CONNECTIONS: Final = 8


@dataclass(frozen=True, slots=True)
class BaselineImages:
    """Finds the baseline's images in ``folder``, named by their hashes, in the cache, or on the server."""

    service: BaselineService
    cache: Cache
    folder: Path
    reporter: Reporter

    def fetch(self, entries: Sequence[BaselineEntry]) -> None:
        """Put the images of ``entries`` into the folder. Raises ServiceError, InputError."""
        wanted = {each.sha256: each for each in entries}
        missing = [
            each
            for each in wanted.values()
            if not self.path_of(each).exists() and not self._read_cached(each)
        ]
        if not missing:
            return
        self.reporter.begin("Fetching images of the baseline", len(missing))
        with ThreadPoolExecutor(CONNECTIONS, thread_name_prefix="fetch") as pool:
            for _ in pool.map(self._fetch_one, missing):
                self.reporter.advance()
        self.reporter.end()

    def path_of(self, entry: BaselineEntry) -> Path:
        return self.folder / entry.sha256

    def _read_cached(self, entry: BaselineEntry) -> bool:
        data = self.cache.find_image(entry.sha256)
        if data is not None:
            self.path_of(entry).write_bytes(data)
        return data is not None

    def _fetch_one(self, entry: BaselineEntry) -> None:
        data = self.service.image(entry)
        if hashlib.sha256(data).hexdigest() != entry.sha256:
            raise ServiceError(
                f"The server sent another image than {entry.sha256[:12]}. Try again."
            )
        self.cache.store_image(entry.sha256, data)
        self.path_of(entry).write_bytes(data)


@dataclass(frozen=True, slots=True)
class Sides:
    """The captured images, and the baseline's entries by story and variant."""

    contents: BuildContents
    entries: Mapping[Key, BaselineEntry]

    def captured(self) -> dict[Key, Entry]:
        found = {(each.story_id, each.variant): each for each in self.contents.entries}
        detection = set(self.contents.detection)
        return {key: entry for key, entry in found.items() if key[1] not in detection}

    def absent(self) -> dict[Key, BaselineEntry]:
        """Return the entries of captured variants without a screenshot now."""
        contents, captured = self.contents, self.captured()
        matrix = {Variant(theme, each) for theme in contents.themes for each in contents.devices}
        return {
            key: entry
            for key, entry in self.entries.items()
            if key not in captured and key[1] in matrix
        }


def compare_sides(
    sides: Sides, images: BaselineImages, report: ReportWriter, threads: int, *, faint: bool
) -> Findings:
    """Compare, group and number screenshots as the server does for a build.

    Raises OutputError, ServiceError and InputError.
    """
    captured, absent = sides.captured(), sides.absent()
    # A full build also removes variants newly excluded by the parameters of a captured story.
    existing = frozenset(sides.contents.story_ids or ()) - {*sides.contents.chosen}
    removed = {key: entry for key, entry in absent.items() if key[0] not in existing}
    differing = {
        key: entry
        for key, entry in captured.items()
        if key not in sides.entries or sides.entries[key].sha256 != entry.sha256
    }
    rendered = {key: entry for key, entry in differing.items() if not entry.error}
    images.fetch(
        [*(sides.entries[key] for key in rendered if key in sides.entries), *removed.values()]
    )
    pairs = [_make_pair(key, each, sides, images) for key, each in rendered.items()]
    pairs += [
        Pair(file_name(*key), str(images.path_of(entry)), None) for key, entry in removed.items()
    ]
    outcomes = _compare(
        pairs, Context(Settings(faint=faint), report, MemoryLimit(usable_memory())), threads
    )
    outcomes += [
        Outcome(file_name(*key), "failed", message=each.error)
        for key, each in differing.items()
        if each.error
    ]
    keys = {file_name(*key): key for key in (*differing, *removed)}
    shots = [
        _describe(outcome, keys[outcome.name], differing, sides.entries)
        for outcome in outcomes
        if outcome.state != "unchanged"
    ]
    unchanged = len(captured) + len(absent) - len(shots)
    return Findings(group_screenshots(shots), unchanged, len(absent) - len(removed))


def _compare(pairs: Sequence[Pair], context: Context, threads: int) -> list[Outcome]:
    if not pairs:
        return []
    work = partial(compare_pair, context=context)
    return map_in_order(work, pairs, threads, lambda _: None)


def _make_pair(key: Key, entry: Entry, sides: Sides, images: BaselineImages) -> Pair:
    name, after = file_name(*key), str(sides.contents.files[entry.sha256])
    before = sides.entries.get(key)
    if before is None:
        return Pair(name, None, after)
    return Pair(name, str(images.path_of(before)), after, options=_options(entry, before))


def rectangles_of(entry: Entry) -> Rectangles:
    """Return the areas ignored by the story of a screenshot, within the image."""
    regions = clip_regions(entry.regions, entry.width, entry.height)
    return tuple(sorted(Rectangle(each.x, each.y, each.width, each.height) for each in regions))


def _options(entry: Entry, before: BaselineEntry) -> Options:
    own = rectangles_of(entry)
    area = unite(before.size, (entry.width, entry.height))
    ignored = as_fractions(find_ignored(before.regions, own), area)
    return Options(
        threshold=DEFAULT_OPTIONS.threshold if entry.threshold is None else entry.threshold,
        regions=(*before.dynamic_regions, *(Region(**each) for each in ignored)),
    )


def _describe(
    outcome: Outcome,
    key: Key,
    captured: Mapping[Key, Entry],
    entries: Mapping[Key, BaselineEntry],
) -> CheckedScreenshot:
    before, after = entries.get(key), captured.get(key)
    title = (after.title if after else "") or (before.title if before else "") or key[0]
    return CheckedScreenshot(
        key[0],
        title,
        key[1],
        outcome,
        before=before.size if before else None,
        after=(after.width, after.height) if after and not after.error else None,
        unstable=after.unstable if after else "",
    )
