"""What every engine can do, and what it returns."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from visual_review.imagediff.features import AreaFeatures
from visual_review.imagediff.model import Box, Limits, Options, VerifiedImage
from visual_review.imagediff.sketch import Sketch

# More connected pieces of a mask, or elements or edges of an image, are not returned.
MOST_PIECES: Final = 1_000
MOST_SHAPES: Final = 1_000
# A change of at least this area matters, or of at least this share of a small image.
LARGE_PIXELS: Final = 24 * 24
LARGE_SHARE: Final = 0.0005
# A line is seen although its area is small.
LINE_WIDTH, LINE_LENGTH = 3, 32


@dataclass(frozen=True, slots=True)
class Element:
    """Fine strokes that are connected, such as a word or an icon.

    ``paper`` is the most common lightness in ``box``, ``contrast`` the largest distance from it and
    ``ink`` the sum of all distances; ``x_ink`` and ``y_ink`` are that sum with columns and rows of
    the box as weights, ``xx_ink`` and ``yy_ink`` with their squares. ``hue`` sums how much redder than blue its pixels are, compared
    with most of them.
    """

    box: Box
    paper: int
    contrast: int
    ink: int
    x_ink: int
    y_ink: int
    xx_ink: int
    yy_ink: int
    hue: int


@dataclass(frozen=True, slots=True)
class Outline:
    """Elements from top to bottom, and long straight edges of cards, lines and images.

    A vertical edge has a width of 0, a horizontal one a height of 0.
    """

    elements: tuple[Element, ...]
    edges: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class FaintAreas:
    """``pixels`` of them differ, all within at most 50 ``boxes`` and ``strokes``.

    A box of ``strokes`` is where letters gained or lost some that pass as anti-aliasing.
    ``is_large`` if a box is larger than 24 x 24 pixels, or than 0.05 % of the image, or a line of
    at least 32 pixels, or if there are strokes.
    """

    pixels: int
    boxes: tuple[Box, ...]
    is_large: bool
    strokes: tuple[Box, ...] = ()


NO_FAINT_AREAS: Final = FaintAreas(0, (), is_large=False)


def describe_areas(
    pixels: int,
    boxes: tuple[Box, ...],
    size: tuple[int, int],
    strokes: tuple[Box, ...] = (),
) -> FaintAreas:
    """Return the areas found in an image of this size."""
    least = min(LARGE_PIXELS, LARGE_SHARE * size[0] * size[1])
    is_large = any(box.width * box.height > least or _is_line(box) for box in boxes)
    return FaintAreas(pixels, boxes, is_large or bool(strokes), strokes)


def _is_line(box: Box) -> bool:
    short, long = sorted((box.width, box.height))
    return short <= LINE_WIDTH and long >= LINE_LENGTH


Buffer = bytes | bytearray | memoryview
Side = Literal["before", "after"]
SIDES: Final[tuple[Side, Side]] = ("before", "after")


@dataclass(frozen=True, slots=True)
class Decoded:
    """Pixels as 8-bit RGBA, row by row, four bytes each."""

    width: int
    height: int
    pixels: Buffer


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of pixels. ``ignored`` are different ones in regions, ``compared`` all outside."""

    different: int
    ignored: int
    anti_aliased: int
    ignored_anti_aliased: int
    slight: int
    compared: int


@dataclass(frozen=True, slots=True)
class Move:
    """Content that is at ``target`` in the later image and was elsewhere in the earlier one.

    ``target`` was at ``target`` minus (``dx``, ``dy``). Single pixels of it may differ; the mask of
    the alignment marks them.
    """

    target: Box
    dx: int
    dy: int


@dataclass(frozen=True, slots=True)
class Alignment:
    """Where two images differ once moved content is put in its new place.

    ``mask`` has a byte for each pixel of the union: 1 for what is new or different in the later
    image there, 2 for what was there in the earlier image and is lost, 3 for both, and 0.
    ``pixels`` counts these outside regions, and ``boxes`` enclose them; none of them is partly in
    the area that both images have and partly beyond it.
    """

    moves: tuple[Move, ...]
    mask: Buffer
    pixels: int
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """Connected pixels that differ, those of faint areas included.

    Equal ``digest`` means that the same was replaced by the same in the same shape, wherever it is
    and whatever is between. ``recolored`` are two colors, red in the lowest byte, where the piece
    is an element in which the later one replaced the earlier one, with all mixes of it, such as
    the edges of letters that kept their color.
    """

    box: Box
    pixels: int
    digest: str
    recolored: tuple[int, int] | None


class ComparedPair(Protocol):
    """Two images that were compared; it keeps what was decoded until it is dropped."""

    def draw(self) -> bytes:
        """Return the diff image as a PNG."""
        ...

    def crop(self, side: Side, box: Box) -> bytes:
        """Return a rectangle within one image as 8-bit RGBA, row by row."""
        ...

    def find_pieces(self, alignment: Alignment) -> tuple[Piece, ...] | None:
        """Return the connected pieces of what differs outside regions, or None of too many.

        What ``alignment`` explains is left out, and so is what moved below the lower edge. Where
        pieces are in the image plays no part, as it does in the boxes of ``Marks``.
        """
        ...

    def outline(self, side: Side, top: int, bottom: int) -> Outline | None:
        """Return the shapes in rows of one image without its colors, or None of too many.

        ``bottom`` is the row after the last one.
        """
        ...

    def sketch(self, side: Side, box: Box) -> Sketch | None:
        """Describe a rectangle within one image, or return None if a pixel is translucent."""
        ...

    def measure(self, mask: Buffer, box: Box, offset: tuple[int, int] = (0, 0)) -> AreaFeatures:
        """Measure the pixels that a mask of the union marks in an area of the later image.

        Each is compared with the earlier image's pixel ``offset`` to the left and above.
        """
        ...

    def find_faint(self) -> FaintAreas:
        """Find areas outside regions that differ by no more than the threshold.

        Their pixels are 4 in the mask from then on, and have a color of their own in the diff image.
        """
        ...

    def align(self) -> Alignment:
        """Find content that moved, and what differs besides."""
        ...


@dataclass(frozen=True, slots=True)
class Marks:
    """Where two images differ.

    ``mask`` has a byte for each pixel of their union, row by row: 0 for the same color, 1 for a
    different one, 2 for a different one that is anti-aliased, 3 for a difference that the threshold
    passes, 4 for one of these in a faint area once ``find_faint`` or ``draw`` was called; regions
    are included. ``boxes`` enclose the different pixels outside regions.
    ``before`` and ``after`` are the sizes of both images, width and height.
    """

    width: int
    height: int
    mask: Buffer
    counts: Counts
    boxes: tuple[Box, ...]
    before: tuple[int, int]
    after: tuple[int, int]
    pair: ComparedPair

    @property
    def same_size(self) -> bool:
        return self.before == self.after


class Engine(Protocol):
    """Decodes and compares PNG files. All engines have the same results and raise the same errors.

    The methods raise ImageError; ``mark`` sets its ``side``. They may be called in many threads.
    """

    @property
    def name(self) -> str:
        """Return a word for people, logs and the keys of stored verdicts."""
        ...

    def decode(self, data: bytes, limits: Limits) -> Decoded:
        """Read the whole file."""
        ...

    def read_bands(self, data: bytes, limits: Limits) -> Iterator[Decoded]:
        """Yield the rows of the image, some at a time, top to bottom.

        A band is valid until the next one is read. It takes memory for all pixels only where the
        image is interlaced.
        """
        ...

    def hash_pixels(self, data: bytes, limits: Limits) -> VerifiedImage:
        """Read the whole file, and return the digest of its size and pixels."""
        ...

    def mark(self, before: bytes, after: bytes, options: Options, limits: Limits) -> Marks:
        """Compare two files."""
        ...
