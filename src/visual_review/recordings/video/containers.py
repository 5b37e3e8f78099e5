"""Detects the container of a file from its first bytes, never from its name; pure."""

from typing import Final, Literal

from visual_review.recordings.video.errors import VideoRefusedError

Container = Literal["matroska", "mov"]
# As long as the longest signature below.
HEAD_BYTES: Final = 16
# Extensions of each: what a server does not accept is rejected by its content too.
EXTENSIONS: Final[dict[Container, frozenset[str]]] = {
    "matroska": frozenset({"webm", "mkv"}),
    "mov": frozenset({"mp4", "m4v", "mov"}),
}
FORMAT_NAMES: Final[dict[Container, str]] = {"matroska": "WebM or MKV", "mov": "MP4 or MOV"}
EBML: Final = b"\x1a\x45\xdf\xa3"
BOXES: Final = frozenset({b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip", b"styp"})
OTHER_TYPES: Final = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"RIFF", "an AVI, WAV or WebP file"),
    (b"OggS", "an Ogg file"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"%PDF", "a PDF document"),
    (b"FLV", "a Flash video"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"#EXTM3U", "a playlist"),
    (b"\x00\x00\x01\xba", "an MPEG stream"),
    (b"{", "text"),
    (b"<", "text"),
)


def detect_container(head: bytes, types: frozenset[str]) -> Container:
    """Return the container of a file that begins with ``head``; raises VideoRefusedError.

    ``types`` are the extensions that this server accepts.
    """
    found = _container(head)
    if not EXTENSIONS[found] & types:
        raise VideoRefusedError(
            f"The file is a {FORMAT_NAMES[found]} video, which this server is configured to reject."
        )
    return found


def _container(head: bytes) -> Container:
    if not head:
        raise VideoRefusedError("The file is empty.")
    if head.startswith(EBML):
        return "matroska"
    if head[4:8] in BOXES:
        return "mov"
    what = next((name for mark, name in OTHER_TYPES if head.startswith(mark)), "of an unknown type")
    raise VideoRefusedError(
        f"The file is {what}, whatever its extension. Record WebM, MP4, MOV or MKV."
    )
