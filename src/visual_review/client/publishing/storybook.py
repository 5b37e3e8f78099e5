"""Captures a built Storybook into a spool, following the capture plan."""

import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Protocol

import deflate

from visual_review.client.capture import (
    ALL_VARIANTS,
    NOT_HASHED,
    CaptureReport,
    CaptureSettings,
    Fingerprint,
    Shot,
    Variant,
)
from visual_review.client.capture.notes import (
    NoteText,
    ThemeComparison,
    describe_all,
    summarize_notes,
)
from visual_review.client.capture.results import Profile, StoryTimes
from visual_review.client.capture.run import capture
from visual_review.client.progress import Reporter
from visual_review.client.publishing.build_images import BuildContents, Entry, Spool
from visual_review.client.publishing.responses import Plan
from visual_review.client.publishing.selection import Selection
from visual_review.client.terminal import printable

# The interface takes no longer title; a longer message helps no one.
ERROR_LENGTH: Final = 2000
TITLE_LENGTH: Final = 500
SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
# A higher level takes more time than smaller files save in later steps.
LEVEL: Final = 6
CHANNELS: Final = {0: 1, 2: 3, 4: 2, 6: 4}
HEADER: Final = struct.Struct(">IIBBBBB")
LENGTH: Final = struct.Struct(">I")
OVERHEAD: Final = 12
INTERLACED: Final = 1
Chunk = tuple[bytes, bytes]


class Observer(Protocol):
    """Receives the progress of a capture, from one thread at a time."""

    def begin(self, contents: BuildContents) -> None:
        """The browser has started; ``contents`` has all but entries and notes."""

    def add(self, entry: Entry) -> None:
        """One more screenshot is in the spool."""


class NoObserver:
    """For a capture without an observer."""

    def begin(self, contents: BuildContents) -> None:
        """Do nothing."""

    def add(self, entry: Entry) -> None:
        """Do nothing."""


@dataclass(frozen=True, slots=True)
class CaptureOutput:
    """Where the screenshots of a capture go."""

    spool: Spool
    reporter: Reporter
    observer: Observer = field(default_factory=NoObserver)
    profile: Profile = field(default_factory=Profile)


def capture_storybook(
    folder: Path,
    plan: Plan,
    selection: Selection,
    settings: CaptureSettings,
    output: CaptureOutput,
) -> BuildContents:
    """Capture the selected stories. Raises CaptureError if nothing can be captured."""
    partial = selection.story_ids is not None
    # Detection measures the whole Storybook, and so needs a full build.
    detection = _other_variants(plan.variants) if plan.detection_armed and not partial else ()
    variants = (*plan.variants, *detection)
    contents = BuildContents(
        entries=(),
        files=output.spool.files,
        themes=plan.themes,
        devices=plan.devices,
        detection=detection,
        story_ids=selection.story_ids,
        chosen=[story.id for story in selection.stories],
        sources_digest=selection.sources_digest,
        sources=selection.sources,
    )
    if not selection.stories:
        return contents
    recorder = _Recorder(selection.fingerprints, output)
    output.reporter.begin("Capturing screenshots", len(selection.stories) * len(variants))
    report = capture(
        *(folder, variants, selection.stories, settings, recorder.add),
        lambda renderer: output.observer.begin(replace(contents, renderer=renderer)),
    )
    output.reporter.end()
    entries = recorder.finish()
    return replace(
        contents,
        # Shots arrive in any order, but a repeated run should send the same manifest.
        entries=sorted(entries, key=lambda entry: (entry.story_id, entry.variant)),
        renderer=report.renderer,
        theme_finding=report.themes,
        notes=[*_report_notes(report), *summarize_notes(entries)],
    )


class _Recorder:
    """Stores the images of shots and collects the entries of the manifest."""

    def __init__(self, hashes: Mapping[str, Fingerprint], output: CaptureOutput) -> None:
        self._entries: list[Entry] = []
        self._themes = ThemeComparison()
        self._hashes = hashes
        self._output = output

    def add(self, shot: Shot) -> None:
        entry = self._make_entry(shot)
        self._entries.append(entry)
        self._themes.add(shot)
        self._output.profile.add(f"{shot.story.id} {shot.variant}", shot.times)
        self._output.observer.add(entry)
        self._output.reporter.advance()

    def finish(self) -> list[Entry]:
        """Return all entries, with the notes about all entries together."""
        return [
            entry
            if entry.error
            else replace(entry, notes=self._themes.add_note(entry.notes, entry.variant))
            for entry in self._entries
        ]

    def _make_entry(self, shot: Shot) -> Entry:
        story = shot.story
        title = printable(f"{story.title}/{story.name}")[:TITLE_LENGTH]
        hashes = self._hashes.get(story.id, NOT_HASHED)
        if shot.png is None:
            reason = (shot.error or "The capture gave no image and no error.")[:ERROR_LENGTH]
            return Entry(story.id, title, shot.variant, hashes=hashes, error=reason)
        return Entry(
            story.id,
            title,
            shot.variant,
            sha256=self._store(shot.png, shot.times or StoryTimes()),
            width=shot.width,
            height=shot.height,
            hashes=hashes,
            threshold=shot.threshold,
            regions=shot.regions,
            unstable=(shot.unstable or "")[:ERROR_LENGTH],
            notes=_printable_notes(shot),
        )

    def _store(self, png: bytes, times: StoryTimes) -> str:
        """Return the SHA-256 of the stored image, in hex."""
        with times.measure("encode"):
            # Repacking makes the image smaller for the upload and the storage.
            return self._output.spool.add(repack(png))


def _printable_notes(shot: Shot) -> tuple[NoteText, ...]:
    return tuple(NoteText(each.kind, printable(each.text)) for each in describe_all(shot.notes))


def _other_variants(variants: Sequence[Variant]) -> tuple[Variant, ...]:
    return tuple(variant for variant in ALL_VARIANTS if variant not in variants)


def _report_notes(report: CaptureReport) -> list[str]:
    notes = list(report.notices)
    if not report.sandbox.active:
        notes.append(f"The browser ran {report.sandbox.describe()}")
    if report.skipped:
        notes.append(
            f"{report.skipped} screenshots were skipped because of the parameters of their stories."
        )
    return notes


# Makes the browser's quickly encoded PNG files smaller, without changing a pixel.


class _DamagedError(Exception):
    """Not a PNG as browsers write it."""


def repack(png: bytes) -> bytes:
    """Return ``png`` with its rows compressed anew: equal rows give equal bytes.

    Anything but a PNG as browsers write it is returned unchanged.
    """
    try:
        return _join(_replace_data(list(_read_chunks(png))))
    except (_DamagedError, struct.error, zlib.error):
        return png


def _read_chunks(png: bytes) -> Iterator[Chunk]:
    if not png.startswith(SIGNATURE):
        raise _DamagedError
    position = len(SIGNATURE)
    while position < len(png):
        (length,) = LENGTH.unpack_from(png, position)
        end = position + OVERHEAD + length
        if end > len(png):
            raise _DamagedError
        yield png[position + 4 : position + 8], png[position + 8 : end - 4]
        position = end


def _replace_data(chunks: list[Chunk]) -> list[Chunk]:
    data = b"".join(body for kind, body in chunks if kind == b"IDAT")
    rows = _inflate(data, _count_bytes(chunks[0][1]))
    first = next(index for index, (kind, _) in enumerate(chunks) if kind == b"IDAT")
    others = [chunk for chunk in chunks if chunk[0] != b"IDAT"]
    packed = bytes(deflate.zlib_compress(rows, LEVEL))
    return [*others[:first], (b"IDAT", packed), *others[first:]]


def _count_bytes(header: bytes) -> int:
    """Return the length of all rows, each with the byte of its filter."""
    width, height, depth, color, *_, interlace = HEADER.unpack(header)
    if color not in CHANNELS or interlace == INTERLACED:
        raise _DamagedError
    return int(height * (1 + (width * depth * CHANNELS[color] + 7) // 8))


def _inflate(data: bytes, length: int) -> bytes:
    # One byte more than expected: data that expands further contradicts the header.
    rows = zlib.decompressobj().decompress(data, length + 1)
    if len(rows) != length:
        raise _DamagedError
    return rows


def _join(chunks: list[Chunk]) -> bytes:
    parts = [SIGNATURE]
    for kind, body in chunks:
        checksum = LENGTH.pack(zlib.crc32(body, zlib.crc32(kind)))
        parts += [LENGTH.pack(len(body)), kind, body, checksum]
    return b"".join(parts)
