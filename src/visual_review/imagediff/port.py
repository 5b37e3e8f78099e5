"""The functions of every engine, and their results."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from visual_review.imagediff.features import AreaFeatures
from visual_review.imagediff.model import Box, Limits, Options, VerifiedImage
from visual_review.imagediff.sketch import Sketch

# More connected pieces of a mask, or elements or edges of an image, are not returned.
MOST_PIECES: Final = 1_000
MOST_SHAPES: Final = 1_000
# A change of at least such an area matters, or of at least such a share of a small image.
LARGE_PIXELS: Final = 24 * 24
LARGE_SHARE: Final = 0.0005
# A line is seen although its area is small.
LINE_WIDTH, LINE_LENGTH = 3, 32


@dataclass(frozen=True, slots=True)
class Element:
    """Connected fine strokes, such as a word or an icon."""

    box: Box
    # The most common lightness in ``box``.
    paper: int
    # The largest distance from ``paper``.
    contrast: int
    # The sum of all distances from ``paper``.
    ink: int
    # The sums of distances weighted with columns and rows of the box, and with their squares.
    x_ink: int
    y_ink: int
    xx_ink: int
    yy_ink: int
    # The sum over the pixels of red minus blue, compared with most pixels of the box.
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
    """Areas with differences up to the threshold."""

    # Different pixels in the areas.
    pixels: int
    # Together with ``strokes``, at most 50.
    boxes: tuple[Box, ...]
    # A box is larger than 24 x 24 pixels, or than 0.05 % of the image, or a line of at least 32
    # pixels, or there are strokes.
    is_large: bool
    # Around strokes gained or lost by letters, although the strokes pass as anti-aliasing.
    strokes: tuple[Box, ...] = ()


NO_FAINT_AREAS: Final = FaintAreas(0, (), is_large=False)


def describe_areas(
    pixels: int,
    boxes: tuple[Box, ...],
    size: tuple[int, int],
    strokes: tuple[Box, ...] = (),
) -> FaintAreas:
    """Return the areas found in an image of ``size``."""
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
class DecodedImage:
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
    """Content at ``target`` in the later image, and elsewhere in the earlier one.

    The earlier place is ``target`` minus (``dx``, ``dy``). Single pixels may differ; the
    alignment's mask marks such pixels.
    """

    target: Box
    dx: int
    dy: int


@dataclass(frozen=True, slots=True)
class Alignment:
    """The differences of two images once moved content is in its new place."""

    moves: tuple[Move, ...]
    # A byte for each pixel of the union: 1 for new or different in the later image, 2 for lost from
    # the earlier image, 3 for both, and 0.
    mask: Buffer
    # The marked pixels outside regions.
    pixels: int
    # Around the marked pixels outside regions; each box is either within the shared area of both
    # images or beyond.
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """Connected different pixels, including pixels of faint areas."""

    box: Box
    pixels: int
    # Equal for the same replacement in the same shape, wherever the piece is and whatever is
    # between.
    digest: str
    # Two colors, red in the lowest byte, of an element in which the later color replaced the
    # earlier one, including mixes such as the edges of letters; None for another change.
    recolored: tuple[int, int] | None


class ComparedPair(Protocol):
    """Two compared images; the pair keeps the decoded pixels until dropped."""

    def draw(self) -> bytes:
        """Return the diff image as a PNG."""
        ...

    def crop(self, side: Side, box: Box) -> bytes:
        """Return a rectangle within one image as 8-bit RGBA, row by row."""
        ...

    def find_pieces(self, alignment: Alignment) -> tuple[Piece, ...] | None:
        """Return the connected pieces of differences outside regions, or None of too many.

        Differences explained by ``alignment`` are left out, and so is content moved below the lower
        edge. The position of pieces plays no part, unlike in the boxes of ``Marks``.
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
        """Measure the marked pixels of the union's mask in an area of the later image.

        Each is compared with the earlier image's pixel ``offset`` to the left and above.
        """
        ...

    def find_faint(self) -> FaintAreas:
        """Find areas outside regions with differences up to the threshold.

        Their pixels are 4 in the mask from then on, with a color of their own in the diff image.
        """
        ...

    def align(self) -> Alignment:
        """Find moved content, and the remaining differences."""
        ...


@dataclass(frozen=True, slots=True)
class Marks:
    """The differences of two images."""

    width: int
    height: int
    # A byte for each pixel of the union, row by row, including regions: 0 for the same color, 1 for
    # a different one, 2 for a different anti-aliased one, 3 for a difference within the threshold,
    # 4 for such a difference in a faint area after a call of ``find_faint`` or ``draw``.
    mask: Buffer
    counts: Counts
    # Around the different pixels outside regions.
    boxes: tuple[Box, ...]
    # The sizes of both images, width and height.
    before: tuple[int, int]
    after: tuple[int, int]
    pair: ComparedPair

    @property
    def same_size(self) -> bool:
        return self.before == self.after


class Engine(Protocol):
    """Decodes and compares PNG files. All engines have the same results and raise the same errors.

    The methods raise ImageError, ``mark`` with its ``side``, and are safe in many threads.
    """

    @property
    def name(self) -> str:
        """Return a word for people, logs and the keys of stored verdicts."""
        ...

    def decode(self, data: bytes, limits: Limits) -> DecodedImage:
        """Read the whole file."""
        ...

    def read_bands(self, data: bytes, limits: Limits) -> Iterator[DecodedImage]:
        """Yield the rows of the image, some at a time, top to bottom.

        A band is valid until the next one is read. Only an interlaced image takes memory for all
        pixels.
        """
        ...

    def hash_pixels(self, data: bytes, limits: Limits) -> VerifiedImage:
        """Read the whole file, and return the digest of its size and pixels."""
        ...

    def mark(self, before: bytes, after: bytes, options: Options, limits: Limits) -> Marks:
        """Compare two files."""
        ...
