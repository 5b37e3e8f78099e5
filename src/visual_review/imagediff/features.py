"""What engines measure of a changed area, for decisions about the kind of change.

All numbers are integers, because both engines must agree bit for bit. Colors are RGBA in one
integer with red in the lowest byte, as pixels are in memory.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SideFeatures:
    """What one image shows in an area.

    ``inside`` counts the area's pixels that the image has. ``background`` is the most common color
    of the ``around`` pixels in a frame around the area; ``background_around`` have it. Of
    ``samples``, ``main_count`` have the color ``main``, the most common one. *Ink* is what differs
    from it visibly: ``ink`` is its color, ``inked`` pixels of the ``searched`` ones are ink,
    ``blended`` of them mix the two colors. They form ``strokes``, which are runs within a row, the
    longest of ``longest`` pixels, on ``ink_rows`` rows in ``bands`` of adjacent rows.
    ``steepest`` is the largest step of brightness from one pixel of a row to the next, and
    ``brightness`` the sum over all searched ones.
    """

    inside: int
    background: int
    background_around: int
    around: int
    main: int
    main_count: int
    colors: int
    samples: int
    ink: int
    searched: int
    inked: int
    blended: int
    strokes: int
    longest: int
    ink_rows: int
    bands: int
    steepest: int
    brightness: int


@dataclass(frozen=True, slots=True)
class ChangeFeatures:
    """How both images differ in an area.

    Of the area's pixels, ``ones``, ``twos`` and ``threes`` have that byte in the mask, and
    ``unequal`` of the marked ones differ at all; ``became_background`` of these show the later
    background, ``was_background`` showed the earlier one. ``isolated`` ones are different alone, or
    with one neighbor, on an edge of both images.

    Of ``pair_samples`` among the unequal ones, the ``pairs`` of colors are distinct, and ``mapped``
    have the color that most often replaces theirs. ``first_count`` were ``first_before`` and are
    ``first_after``, the most common pair.

    Between neighbors within the area there are ``edges_before`` and ``edges_after``. Of these,
    ``edges_lost`` are flat afterwards, and ``edges_new`` were flat before. ``edges_peak`` of these two kinds
    are in one cell. ``outline_strays`` of the two kinds are between the area and what surrounds it.
    """

    ones: int
    twos: int
    threes: int
    unequal: int
    became_background: int
    was_background: int
    isolated: int
    pairs: int
    pair_samples: int
    mapped: int
    first_before: int
    first_after: int
    first_count: int
    edges_before: int
    edges_after: int
    edges_lost: int
    edges_new: int
    edges_peak: int
    outline_strays: int


@dataclass(frozen=True, slots=True)
class AreaFeatures:
    """Everything that is measured of an area."""

    before: SideFeatures
    after: SideFeatures
    change: ChangeFeatures
