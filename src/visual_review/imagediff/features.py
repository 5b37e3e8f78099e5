"""Measurements of a changed area, for decisions about the kind of change.

All numbers are integers, because both engines must agree bit for bit. Colors are RGBA in one
integer with red in the lowest byte, as pixels are in memory.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SideFeatures:
    """The content of an area in one image.

    *Ink* is any color with a visible difference from the main color. A stroke is a run of ink
    within a row.
    """

    # Pixels of the area within the image.
    inside: int
    # The most common color in a frame around the area.
    background: int
    # Pixels of the frame with the background color.
    background_around: int
    # All pixels of the frame.
    around: int
    # The most common color of the samples.
    main: int
    # Samples with the main color.
    main_count: int
    # Distinct colors of the samples.
    colors: int
    samples: int
    # The main color of the ink.
    ink: int
    # Pixels searched for ink.
    searched: int
    # Pixels of ink.
    inked: int
    # Pixels of ink in a mix of ``main`` and ``ink``.
    blended: int
    strokes: int
    # Pixels of the longest stroke.
    longest: int
    # Rows with ink.
    ink_rows: int
    # Groups of adjacent rows with ink.
    bands: int
    # The largest step of brightness between neighbors in a row.
    steepest: int
    # The sum of brightness over all searched pixels.
    brightness: int


@dataclass(frozen=True, slots=True)
class ChangeFeatures:
    """The differences of both images in an area, in pixels unless noted."""

    # Pixels with the value 1, 2 and 3 in the mask.
    ones: int
    twos: int
    threes: int
    # Marked pixels with any difference in color.
    unequal: int
    # Unequal pixels with the later background in the later image.
    became_background: int
    # Unequal pixels with the earlier background in the earlier image.
    was_background: int
    # Different pixels on an edge of both images, alone or with one different neighbor.
    isolated: int
    # Distinct pairs of an earlier and a later color, among ``pair_samples``.
    pairs: int
    # A sample of the unequal pixels.
    pair_samples: int
    # Samples with the most frequent later color for their earlier color.
    mapped: int
    # The most common pair of colors, and its samples.
    first_before: int
    first_after: int
    first_count: int
    # Edges between neighbors within the area.
    edges_before: int
    edges_after: int
    # Edges before, flat afterwards.
    edges_lost: int
    # Edges afterwards, flat before.
    edges_new: int
    # Lost and new edges in the cell with most of them.
    edges_peak: int
    # Lost and new edges between the area and its surroundings.
    outline_strays: int


@dataclass(frozen=True, slots=True)
class AreaFeatures:
    """All features of an area."""

    before: SideFeatures
    after: SideFeatures
    change: ChangeFeatures
