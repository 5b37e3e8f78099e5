"""The kinds of notes on an image: what may be wrong, and the way out; and their summary."""

import hashlib
import re
import struct
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from visual_review.client.capture.results import Note, Shot
from visual_review.client.capture.stories import Story
from visual_review.client.capture.variants import Variant
from visual_review.variants import Device

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
# Bytes of a pixel by the color type, of 8 bits each: gray, RGB, gray and alpha, RGBA.
PIXEL_BYTES: Final = {0: 1, 2: 3, 4: 2, 6: 4}
HEADER: Final = struct.Struct(">IIBBBBB")
BLOCK: Final = 1 << 16
FAILED_REQUEST: Final = "failed-request"
BLOCKED_REQUEST: Final = "blocked-request"
PAGE_ERROR: Final = "page-error"
EMPTY_STORY: Final = "empty-story"
BLANK_IMAGE: Final = "blank-image"
TRUNCATED: Final = "truncated"
WIDER: Final = "wider"
HIDDEN_CONTENT: Final = "hidden-content"
SAME_THEMES: Final = "same-themes"
PARAMETER: Final = "parameter"
WAIT_FOR: Final = "wait-for"
# Not a note of its own: the reason is in the shot's ``unstable``.
UNSTABLE: Final = "unstable"
# The limits of the CI interface.
MOST_NOTES: Final = 20
TEXT_LENGTH: Final = 1000
KIND_LENGTH: Final = 40
# Fewer stories may well have no dark parts.
FEWEST_STORIES: Final = 3
DARK: Final = "dark"
# With the port, as for --allow-host.
HOST: Final = re.compile(r"\b(?:https?|wss?)://([A-Za-z0-9.-]+(?::\d+)?)")


@dataclass(frozen=True, slots=True)
class NoteKind:
    """``sentence`` is about one image, ``predicate`` follows a number of screenshots."""

    sentence: str
    predicate: str
    way_out: str


KINDS: Final[Mapping[str, NoteKind]] = {
    UNSTABLE: NoteKind(
        "The page was still changing when the image was taken: {detail}.",
        "were still changing when their images were taken",
        "End what keeps changing, for example by fixed data or a mock, or give the story a delay.",
    ),
    FAILED_REQUEST: NoteKind(
        "A request failed: {detail}.",
        "sent requests that failed",
        "Put the file into the Storybook (`staticDirs`), or mock the request in the story.",
    ),
    BLOCKED_REQUEST: NoteKind(
        "A request to another host was refused: {detail}.",
        "sent requests to hosts that are not allowed",
        "Serve the file from the Storybook or mock the request; --allow-host HOST allows it.",
    ),
    PAGE_ERROR: NoteKind(
        "An error occurred in the page: {detail}.",
        "had errors in the page",
        "Fix the error; what comes after it in the code may be missing in the image.",
    ),
    EMPTY_STORY: NoteKind(
        "The story rendered nothing: {detail}.",
        "rendered nothing",
        "Check the story's arguments and data; exclude it with `skip: true` if that is intended.",
    ),
    BLANK_IMAGE: NoteKind(
        "The image has only one color.",
        "have only one color",
        "Look at the story in the Storybook; exclude it with `skip: true` if that is intended.",
    ),
    TRUNCATED: NoteKind(
        "The image is incomplete: {detail}.",
        "are higher than the limit, and their images end there",
        "Split the story into shorter ones; what lies below the limit is not compared.",
    ),
    WIDER: NoteKind(
        "The page is wider than the viewport: {detail}.",
        "are wider than their viewports, and their images end there",
        "Fix the layout, or set `overflow-x: hidden` if that part is not meant to be seen.",
    ),
    HIDDEN_CONTENT: NoteKind(
        "A part of the content is not in the image: {detail}.",
        "have content that is not in the image",
        "Let the page scroll instead of an element in it, such as by a decorator for this story.",
    ),
    SAME_THEMES: NoteKind(
        "Light and dark look the same in all stories, so the dark theme was probably not set.",
        "in dark equal those in light, in all stories",
        "Say how the theme is switched in visual-review.toml ([capture.themes]), or capture light "
        "only.",
    ),
    PARAMETER: NoteKind(
        "A parameter of the story has no effect here: {detail}.",
        "have parameters without effect",
        'See "Coming from Chromatic or storycap" in the documentation for what replaces it.',
    ),
    WAIT_FOR: NoteKind(
        "What the story asked to wait for did not happen: {detail}.",
        "were captured before what they asked to wait for",
        "Correct `waitFor` in the parameters of the story.",
    ),
}
_UNKNOWN: Final = NoteKind("{detail}", "have other notes", "Update visual-review.")


@dataclass(frozen=True, slots=True)
class NoteText:
    """A note for people; later versions may have kinds unknown to this version."""

    kind: str
    text: str


def describe(note: Note) -> str:
    """Return what is wrong with the image in one sentence, and the way out in another."""
    kind = KINDS.get(note.kind, _UNKNOWN)
    # Replaced, not formatted: a URL may have braces.
    sentence = kind.sentence.replace("{detail}", note.detail.strip().rstrip(".") or "no details")
    return f"{sentence} {kind.way_out}"[:TEXT_LENGTH]


def describe_all(notes: Iterable[Note]) -> tuple[NoteText, ...]:
    """Return the texts of the notes, each once and not more than the service takes."""
    texts = dict.fromkeys(NoteText(note.kind, describe(note)) for note in notes)
    return tuple(texts)[:MOST_NOTES]


def with_image_notes(shot: Shot) -> Shot:
    """Return the shot, with a note for an image of one color unless the story is empty."""
    if shot.png is None or any(note.kind == EMPTY_STORY for note in shot.notes):
        return shot
    if not is_one_color(shot.png):
        return shot
    return replace(shot, notes=(*shot.notes, Note(BLANK_IMAGE)))


# Every filter of PNG turns a row of one color into bytes known beforehand. So rows are compared as
# stored in the file, and the first row that differs ends the search.
def is_one_color(png: bytes) -> bool:
    """Return whether all pixels are equal; false for PNGs that browsers do not write."""
    chunks = _read_chunks(png)
    name, header = next(chunks, (b"", b""))
    if name != b"IHDR" or len(header) != HEADER.size:
        return False
    width, height, depth, color_type, _, _, interlaced = HEADER.unpack(header)
    size = PIXEL_BYTES.get(color_type, 0)
    if depth != 8 or interlaced or not size or not width or not height:  # noqa: PLR2004 - Bits.
        return False
    try:
        return _rows_are_equal(_inflate(chunks), width, height, size)
    except zlib.error:
        return False


def _read_chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    position = len(SIGNATURE) if png.startswith(SIGNATURE) else len(png)
    while position + 8 <= len(png):
        length, name = struct.unpack_from(">I4s", png, position)
        yield name, png[position + 8 : position + 8 + length]
        position += 12 + length


def _inflate(chunks: Iterator[tuple[bytes, bytes]]) -> Iterator[bytes]:
    stream = zlib.decompressobj()
    for name, data in chunks:
        waiting = data if name == b"IDAT" else b""
        while waiting:
            yield stream.decompress(waiting, BLOCK)
            waiting = stream.unconsumed_tail
    # The decompressor may still hold a part of the last block.
    while rest := stream.decompress(stream.unconsumed_tail, BLOCK):
        yield rest


def _rows_are_equal(blocks: Iterator[bytes], width: int, height: int, size: int) -> bool:
    row_bytes = 1 + width * size
    buffer, color, rows = b"", b"", 0
    for block in blocks:
        buffer += block
        whole = len(buffer) // row_bytes
        for start in range(0, whole * row_bytes, row_bytes):
            row = buffer[start : start + row_bytes]
            # No filter changes the first pixel of the image.
            color = color or row[1 : 1 + size]
            if not _is_row_of(color, row, width, is_first=rows == 0):
                return False
            rows += 1
        buffer = buffer[whole * row_bytes :]
    return rows == height


def _is_row_of(color: bytes, row: bytes, width: int, *, is_first: bool) -> bool:
    none, sub, up, average, paeth = range(5)
    same = bytes(len(color))
    half = bytes(each - each // 2 for each in color)
    first, rest = {
        none: (color, color),
        sub: (color, same),
        up: (color, color) if is_first else (same, same),
        average: (color, half) if is_first else (half, same),
        paeth: (color if is_first else same, same),
    }.get(row[0], (b"", b""))
    return row[1:] == first + rest * (width - 1)


class ImageWithNotes(Protocol):
    @property
    def story_id(self) -> str: ...
    @property
    def variant(self) -> Variant: ...
    @property
    def unstable(self) -> str: ...
    @property
    def notes(self) -> Sequence[NoteText]: ...


def summarize_notes(images: Iterable[ImageWithNotes]) -> list[str]:
    """Return a line for each kind of note, the most important kinds first."""
    found: defaultdict[str, list[tuple[ImageWithNotes, str]]] = defaultdict(list)
    for image in sorted(images, key=lambda each: (each.story_id, each.variant)):
        texts = {note.kind: note.text for note in reversed(image.notes)}
        if image.unstable:
            texts[UNSTABLE] = describe(Note(UNSTABLE, image.unstable))
        for kind, text in texts.items():
            found[kind].append((image, text))
    order = [*KINDS, *sorted(found.keys() - KINDS.keys())]
    lines = [_format(kind, found[kind]) for kind in order if kind in found]
    hosts = count_refused_hosts(
        (image.story_id, image.notes) for image, _ in found[BLOCKED_REQUEST]
    )
    return [*lines, _describe_hosts(hosts)] if hosts else lines


def count_refused_hosts(
    images: Iterable[tuple[str, Sequence[NoteText]]],
) -> dict[str, int]:
    """Return how many stories request each host that is not allowed."""
    stories: defaultdict[str, set[str]] = defaultdict(set)
    for story, notes in images:
        for note in notes:
            for host in HOST.findall(note.text) if note.kind == BLOCKED_REQUEST else ():
                stories[host].add(story)
    return {host: len(stories[host]) for host in sorted(stories)}


def _describe_hosts(hosts: Mapping[str, int]) -> str:
    options = " ".join(f"--allow-host {host}" for host in hosts)
    counts = ", ".join(
        f"{host}: {count} {'story' if count == 1 else 'stories'}" for host, count in hosts.items()
    )
    return f"To allow these hosts, add {options} ({counts})."


def _format(kind: str, images: Sequence[tuple[ImageWithNotes, str]]) -> str:
    image, text = images[0]
    where = f"{image.story_id} {image.variant}"
    if len(images) == 1:
        return f"1 screenshot has a note: {where}: {text}"
    predicate = KINDS[kind].predicate if kind in KINDS else "have other notes"
    return f"{len(images)} screenshots {predicate}, such as {where}: {text}"


def count_kinds(kinds: Iterable[str]) -> dict[str, int]:
    """Return how often each kind occurs, in the order of their names."""
    return dict(sorted(Counter(kinds).items()))


class ThemeComparison:
    """Whether any story of a capture looks different in dark than in light."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[Story, Device], tuple[str, bytes]] = {}
        self._equal: set[Story] = set()
        self._differ = False

    def add(self, shot: Shot) -> None:
        if shot.png is None or self._differ:
            return
        key = shot.story, shot.variant.device
        theme, digest = shot.variant.theme, hashlib.sha256(shot.png).digest()
        other = self._waiting.pop(key, None)
        if other is None or other[0] == theme:
            self._waiting[key] = (theme, digest)
        elif other[1] == digest:
            self._equal.add(shot.story)
        else:
            self._differ = True

    def add_note(self, notes: Sequence[NoteText], variant: Variant) -> tuple[NoteText, ...]:
        """Return the notes, with one for dark screenshots if no story looks different in light."""
        if variant.theme != DARK or self._differ or len(self._equal) < FEWEST_STORIES:
            return tuple(notes)
        return (*notes[: MOST_NOTES - 1], *describe_all([Note(SAME_THEMES)]))
