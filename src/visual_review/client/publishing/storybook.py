"""Captures a built Storybook into a spool, as the capture plan asks for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from visual_review.client.capture import (
    ALL_VARIANTS,
    CaptureReport,
    CaptureSettings,
    Shot,
    Story,
    Variant,
    capture,
)
from visual_review.client.publishing.build_images import Entry, Material, Spool
from visual_review.client.publishing.responses import Plan
from visual_review.client.reporter import Reporter
from visual_review.client.terminal import printable

# The interface keeps no longer title; of a message nobody reads more.
ERROR_LENGTH: Final = 2000
TITLE_LENGTH: Final = 500


@dataclass(frozen=True, slots=True)
class Selection:
    """Which stories this run captures, with the hashes of their sources where they are known.

    ``story_ids`` are all that exist, given for a partial build only.
    """

    stories: Sequence[Story]
    hashes: Mapping[str, str]
    story_ids: Sequence[str] | None = None


def select_changed(
    stories: Sequence[Story], hashes: Mapping[str, str], baseline: Mapping[str, str]
) -> Selection:
    """Only the stories whose sources are not those of the picture in the baseline."""
    changed = [
        story
        for story in stories
        # A hash that is unknown on either side counts as changed: better captured twice than
        # missed.
        if not hashes.get(story.id) or baseline.get(story.id) != hashes[story.id]
    ]
    return Selection(changed, hashes, [story.id for story in stories])


def share(selection: Selection, shard: int, shards: int) -> Selection:
    """Every ``shards``-th story from ``shard`` on, so that slow neighbours are spread."""
    return replace(selection, stories=selection.stories[shard - 1 :: shards])


def capture_storybook(
    folder: Path,
    plan: Plan,
    selection: Selection,
    settings: CaptureSettings,
    spool: Spool,
    reporter: Reporter,
) -> Material:
    """Capture the selected stories. Raises CaptureError when nothing can be captured."""
    partial = selection.story_ids is not None
    # Detection measures how a whole Storybook reacts, so it waits for a full build.
    detection = _missing(plan.variants) if plan.detection_armed and not partial else ()
    variants = (*plan.variants, *detection)
    recorder = _Recorder(selection.hashes, spool, reporter)
    report: CaptureReport | None = None
    if selection.stories:
        reporter.begin("Capturing screenshots", len(selection.stories) * len(variants))
        report = capture(folder, variants, selection.stories, settings, recorder.add)
        reporter.end()
    return Material(
        # Shots come in no fixed order, and a run repeated should send the same manifest.
        entries=sorted(recorder.entries, key=lambda entry: (entry.story_id, entry.variant)),
        files=spool.files,
        themes=plan.themes,
        devices=plan.devices,
        detection=detection,
        renderer=report.renderer if report else None,
        story_ids=selection.story_ids,
        notes=[*recorder.notes, *_skipped(report)],
    )


class _Recorder:
    """Puts the images of shots away and keeps what the manifest needs."""

    def __init__(self, hashes: Mapping[str, str], spool: Spool, reporter: Reporter) -> None:
        self.entries: list[Entry] = []
        self.notes: list[str] = []
        self._hashes = hashes
        self._spool = spool
        self._reporter = reporter

    def add(self, shot: Shot) -> None:
        self.entries.append(self._entry(shot))
        for remark in filter(None, (shot.unstable, shot.note)):
            self.notes.append(f"{shot.story.id} {shot.variant}: {remark}")
        self._reporter.advance()

    def _entry(self, shot: Shot) -> Entry:
        story = shot.story
        title = printable(f"{story.title}/{story.name}")[:TITLE_LENGTH]
        source_hash = self._hashes.get(story.id, "")
        if shot.png is None:
            reason = (shot.error or "There is no image and no reason for it.")[:ERROR_LENGTH]
            return Entry(story.id, title, shot.variant, source_hash=source_hash, error=reason)
        return Entry(
            story.id,
            title,
            shot.variant,
            sha256=self._spool.add(shot.png),
            width=shot.width,
            height=shot.height,
            source_hash=source_hash,
            threshold=shot.threshold,
        )


def _missing(variants: Sequence[Variant]) -> tuple[Variant, ...]:
    return tuple(variant for variant in ALL_VARIANTS if variant not in variants)


def _skipped(report: CaptureReport | None) -> list[str]:
    if report is None or not report.skipped:
        return []
    return [f"{report.skipped} screenshots were left out, as their stories ask for."]
