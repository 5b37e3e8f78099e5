"""Reads the header of a WebM or MP4 file: codec, size of the image, duration; pure.

The file is untrusted: the reader reads a bounded number of elements, never their contents as a
whole, and any bytes end in a header or in VideoRefusedError.
Layouts: RFC 8794 (EBML), RFC 9559 (Matroska), ISO/IEC 14496-12 and 14496-15 (boxes).
"""

import math
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, Final, NamedTuple

# A day of fragments of one second has two boxes for each.
MOST_ELEMENTS: Final = 200_000
LONGEST_VALUE: Final = 64
LONGEST_MILLISECONDS: Final = 24 * 60 * 60 * 1000
LONGEST_SIDE: Final = 65_535
CONVERT: Final = (
    "Convert it before you upload it, for example: ffmpeg -i INPUT -c:v libx264 -pix_fmt yuv420p "
    "-c:a aac -movflags +faststart OUTPUT.mp4"
)

EBML: Final = 0x1A45DFA3
DOC_TYPE: Final = 0x4282
SEGMENT: Final = 0x18538067
INFO: Final = 0x1549A966
TIMESTAMP_SCALE: Final = 0x2AD7B1
DURATION: Final = 0x4489
TRACKS: Final = 0x1654AE6B
TRACK: Final = 0xAE
TRACK_TYPE: Final = 0x83
CODEC: Final = 0x86
VIDEO: Final = 0xE0
WIDTH: Final = 0xB0
HEIGHT: Final = 0xBA
CLUSTER: Final = 0x1F43B675
VIDEO_TRACK: Final = 1
NANOSECONDS_PER_TICK: Final = 1_000_000
WEBM_CODECS: Final = frozenset({b"V_VP8", b"V_VP9", b"V_AV1"})

BOXES: Final = frozenset({b"ftyp", b"styp", b"moov", b"mdat", b"free", b"skip", b"wide"})
MP4_CODECS: Final = frozenset({b"avc1", b"avc3", b"vp08", b"vp09", b"av01"})
# Baseline, Main and High: no browser plays other forms of H.264, such as ten bits.
H264_PROFILES: Final = frozenset({66, 77, 100})
SMALLEST_BOX: Final = 8
SAMPLE_FIELDS: Final = 78


class VideoRefusedError(Exception):
    """Browsers cannot play the file; the message is for the person who recorded the video."""


@dataclass(frozen=True)
class VideoHeader:
    """``suffix`` names the container; ``duration_ms``: None for a file without a duration."""

    suffix: str
    width: int
    height: int
    duration_ms: int | None


def read_video_header(file: IO[bytes]) -> VideoHeader:
    """Return the header of a video playable in browsers; raises VideoRefusedError."""
    reader = _Reader(file, file.seek(0, os.SEEK_END))
    head = reader.read(0, 8)
    if not head:
        raise VideoRefusedError("The file is empty.")
    if int.from_bytes(head[:4]) == EBML:
        return _read_webm(reader)
    if head[4:] in BOXES:
        return _read_mp4(reader)
    raise VideoRefusedError(f"The file is neither WebM nor MP4, whatever its extension. {CONVERT}")


class _Element(NamedTuple):
    """An element of WebM or a box of MP4: the contents are the bytes from ``start`` to ``end``."""

    kind: int
    start: int
    end: int


@dataclass
class _Reader:
    """Reads a few bytes at a time, and a limited number of elements in all."""

    file: IO[bytes]
    size: int
    left: int = field(default=MOST_ELEMENTS)

    def read(self, start: int, length: int) -> bytes:
        self.file.seek(start)
        return self.file.read(length)

    def value(self, element: _Element) -> bytes:
        return self.read(element.start, min(element.end - element.start, LONGEST_VALUE))

    def number(self, element: _Element) -> int:
        return int.from_bytes(self.value(element)[:8])

    def elements(self, parent: _Element) -> Iterator[_Element]:
        """Yield the elements of WebM within ``parent``."""
        position = parent.start
        while position < parent.end:
            self._count()
            element = self._element(position, parent.end)
            yield element
            position = element.end

    def boxes(self, parent: _Element) -> Iterator[_Element]:
        """Yield the boxes of MP4 within ``parent``."""
        position = parent.start
        while position < parent.end:
            self._count()
            box = self._box(position, parent.end)
            yield box
            position = box.end

    def _count(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise VideoRefusedError(f"The file has too many elements to be a recording. {CONVERT}")

    def _element(self, position: int, end: int) -> _Element:
        head = self.read(position, 12)
        kind, id_length = _variable_number(head, 4)
        size, size_length = _variable_number(head[id_length:], 8)
        start = position + id_length + size_length
        bits = 7 * size_length
        length = size & ((1 << bits) - 1)
        if length == (1 << bits) - 1:
            # Recorders unable to go back leave the size open: the element ends with the file.
            return _Element(kind, start, max(start, end))
        return _Element(kind, start, _within(start + length, end))

    def _box(self, position: int, end: int) -> _Element:
        head = self.read(position, 16)
        if len(head) < SMALLEST_BOX:
            raise _truncated()
        size, kind, start = int.from_bytes(head[:4]), int.from_bytes(head[4:8]), position + 8
        if size == 0:
            return _Element(kind, start, end)
        if size == 1:
            size, start = int.from_bytes(head[8:16]), position + 16
        if position + size < start:
            raise _damaged()
        return _Element(kind, start, _within(position + size, end))


def _variable_number(data: bytes, longest: int) -> tuple[int, int]:
    """Return an EBML number with its marker, and its length, given by the leading zeros."""
    if not data:
        raise _truncated()
    length = 9 - data[0].bit_length()
    if length > longest:
        raise _damaged()
    if len(data) < length:
        raise _truncated()
    return int.from_bytes(data[:length]), length


def _within(position: int, end: int) -> int:
    if position > end:
        raise _truncated()
    return position


def _truncated() -> VideoRefusedError:
    return VideoRefusedError(
        "The file is truncated: it is shorter than it declares. Wait until the recorder has "
        "finished before you upload the file."
    )


def _damaged() -> VideoRefusedError:
    return VideoRefusedError("The file's structure is damaged; it cannot be read.")


def _read_webm(reader: _Reader) -> VideoHeader:
    top = reader.elements(_Element(0, 0, reader.size))
    header, segment = next(top), next(top, None)
    if segment is None or segment.kind != SEGMENT:
        raise _truncated()
    doc_type = [reader.value(each) for each in reader.elements(header) if each.kind == DOC_TYPE]
    if [each.rstrip(b"\0") for each in doc_type] != [b"webm"]:
        raise VideoRefusedError(f"The file is a Matroska video (MKV), not WebM. {CONVERT}")
    found: VideoHeader | None = None
    duration: int | None = None
    for element in reader.elements(segment):
        if element.kind == INFO:
            duration = _webm_duration(reader, element)
        elif element.kind == TRACKS:
            found = _webm_track(reader, element)
        elif element.kind == CLUSTER:
            break
    else:
        raise VideoRefusedError("The video is 0 seconds long: the file has no images.")
    if found is None:
        raise VideoRefusedError("The file contains no video.")
    return VideoHeader(found.suffix, found.width, found.height, duration)


def _webm_duration(reader: _Reader, info: _Element) -> int | None:
    scale, ticks = NANOSECONDS_PER_TICK, 0.0
    for element in reader.elements(info):
        if element.kind == TIMESTAMP_SCALE:
            scale = reader.number(element)
        elif element.kind == DURATION:
            ticks = _float(reader.value(element))
    return _milliseconds(ticks, 1_000_000 / scale) if scale else None


def _float(data: bytes) -> float:
    form = {4: ">f", 8: ">d"}.get(len(data))
    value: float = struct.unpack(form, data)[0] if form else 0.0
    return value if math.isfinite(value) else 0.0


def _milliseconds(ticks: float, ticks_per_millisecond: float) -> int | None:
    """Return a duration, or None if invalid or more than a day."""
    if not 0 < ticks <= LONGEST_MILLISECONDS * ticks_per_millisecond:
        return None
    return int(ticks / ticks_per_millisecond)


def _webm_track(reader: _Reader, tracks: _Element) -> VideoHeader | None:
    """Return the first track with images, without a duration."""
    for track in reader.elements(tracks):
        if track.kind != TRACK:
            continue
        fields = {element.kind: element for element in reader.elements(track)}
        kind, codec, video = (fields.get(name) for name in (TRACK_TYPE, CODEC, VIDEO))
        if kind is None or codec is None or video is None or reader.number(kind) != VIDEO_TRACK:
            continue
        _check_codec(reader.value(codec).rstrip(b"\0"), WEBM_CODECS)
        sides = {each.kind: each for each in reader.elements(video)}
        if WIDTH not in sides or HEIGHT not in sides:
            raise _damaged()
        width, height = reader.number(sides[WIDTH]), reader.number(sides[HEIGHT])
        return _header(".webm", width, height, None)
    return None


def _check_codec(codec: bytes, playable: frozenset[bytes]) -> None:
    if codec not in playable:
        name = codec.decode("ascii", "replace") if codec.isascii() else "unknown"
        shown = "".join(each for each in name if each.isprintable())
        raise VideoRefusedError(
            f"Browsers do not play the codec of this video ({shown}); they play VP8, VP9, AV1 and "
            f"H.264 (8 bits, 4:2:0). {CONVERT}"
        )


def _header(suffix: str, width: int, height: int, duration: int | None) -> VideoHeader:
    if not (0 < width <= LONGEST_SIDE and 0 < height <= LONGEST_SIDE):
        raise VideoRefusedError(f"The video is {width} x {height} pixels, which cannot be shown.")
    return VideoHeader(suffix, width, height, duration)


def _read_mp4(reader: _Reader) -> VideoHeader:
    moov: _Element | None = None
    # Read to the end, to notice a truncated file.
    for box in reader.boxes(_Element(0, 0, reader.size)):
        if box.kind == _name(b"moov"):
            moov = box
    if moov is None:
        raise VideoRefusedError(
            "The file has no index (moov) and cannot be played: the recorder was stopped before "
            "it wrote the index."
        )
    duration: int | None = None
    entry: _Element | None = None
    for box in reader.boxes(moov):
        if box.kind == _name(b"mvhd"):
            duration = _mp4_duration(reader.value(box))
        elif box.kind == _name(b"trak") and entry is None:
            entry = _mp4_sample_entry(reader, box)
    if entry is None:
        raise VideoRefusedError("The file contains no video.")
    return _mp4_header(reader, entry, duration)


def _name(name: bytes) -> int:
    return int.from_bytes(name)


def _mp4_duration(mvhd: bytes) -> int | None:
    # Version 1 has times of eight bytes.
    form, start = (">IQ", 20) if mvhd[:1] == b"\1" else (">II", 12)
    if len(mvhd) < start + struct.calcsize(form):
        raise _damaged()
    scale, ticks = struct.unpack_from(form, mvhd, start)
    return _milliseconds(ticks, scale / 1000)


def _mp4_sample_entry(reader: _Reader, trak: _Element) -> _Element | None:
    """Return the description of the track's images; None for a track of another kind."""
    mdia = _child(reader, trak, b"mdia")
    handler = _child(reader, mdia, b"hdlr")
    if handler is None or reader.value(handler)[8:12] != b"vide":
        return None
    stbl = _child(reader, _child(reader, mdia, b"minf"), b"stbl")
    stsd = _child(reader, stbl, b"stsd")
    if stsd is None:
        raise _damaged()
    # The version and the number of entries come first.
    entries = _Element(stsd.kind, min(stsd.start + 8, stsd.end), stsd.end)
    return next(reader.boxes(entries), None)


def _child(reader: _Reader, parent: _Element | None, name: bytes) -> _Element | None:
    children = reader.boxes(parent) if parent else ()
    return next((each for each in children if each.kind == _name(name)), None)


def _mp4_header(reader: _Reader, entry: _Element, duration: int | None) -> VideoHeader:
    codec = entry.kind.to_bytes(4)
    _check_codec(codec, MP4_CODECS)
    fields = reader.value(entry)
    if entry.end - entry.start < SAMPLE_FIELDS:
        raise _damaged()
    if codec in {b"avc1", b"avc3"}:
        inner = _Element(entry.kind, entry.start + SAMPLE_FIELDS, entry.end)
        settings = _child(reader, inner, b"avcC")
        profile = reader.value(settings)[1:2] if settings else b""
        if profile and profile[0] not in H264_PROFILES:
            _check_codec(b"H.264, profile %d" % profile[0], MP4_CODECS)
    width, height = struct.unpack_from(">HH", fields, 24)
    return _header(".mp4", width, height, duration)
