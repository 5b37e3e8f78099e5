"""Which container a file is, told from its first bytes and never from its name; pure."""

from typing import Final, Literal

from visual_review.recordings.video.errors import VideoRefusedError

Container = Literal["matroska", "mov"]
# As far as any of the marks below reaches.
HEAD_BYTES: Final = 16
# Endings of names that go with each: what a host does not take is refused by content too.
ENDINGS: Final[dict[Container, frozenset[str]]] = {
    "matroska": frozenset({"webm", "mkv"}),
    "mov": frozenset({"mp4", "m4v", "mov"}),
}
SPOKEN: Final[dict[Container, str]] = {"matroska": "WebM or MKV", "mov": "MP4 or MOV"}
EBML: Final = b"\x1a\x45\xdf\xa3"
BOXES: Final = frozenset({b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip", b"styp"})
OTHERS: Final = (
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"RIFF", "an AVI, WAV or WebP file"),
    (b"OggS", "an Ogg file"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"%PDF", "a PDF document"),
    (b"FLV", "a Flash video"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"#EXTM3U", "a list of videos"),
    (b"\x00\x00\x01\xba", "an MPEG stream"),
    (b"{", "text"),
    (b"<", "text"),
)


def container_of(head: bytes, types: frozenset[str]) -> Container:
    """The container of a file that begins with ``head``; raises VideoRefusedError.

    ``types`` are the endings of names this host takes.
    """
    found = _container(head)
    if not ENDINGS[found] & types:
        raise VideoRefusedError(
            f"The file is a {SPOKEN[found]} video, which this service is set up not to take."
        )
    return found


def _container(head: bytes) -> Container:
    if not head:
        raise VideoRefusedError("The file is empty: it has no bytes at all.")
    if head.startswith(EBML):
        return "matroska"
    if head[4:8] in BOXES:
        return "mov"
    what = next((name for mark, name in OTHERS if head.startswith(mark)), "of an unknown kind")
    raise VideoRefusedError(
        f"The file is {what}, whatever its name says. Record WebM, MP4, MOV or MKV."
    )
