"""Compare two PNG files: the verdict on an engine's marks, and the diff image."""

from dataclasses import dataclass

from visual_review.imagediff.container import probe
from visual_review.imagediff.engine import engine
from visual_review.imagediff.model import (
    DEFAULT_LIMITS,
    DEFAULT_OPTIONS,
    Limits,
    Options,
    Reason,
    Verdict,
    VerifiedImage,
)
from visual_review.imagediff.port import Marks


@dataclass(frozen=True, slots=True)
class Comparison:
    """A verdict with its diff image as a PNG."""

    verdict: Verdict
    diff_image: bytes


def compare(
    before: bytes,
    after: bytes,
    options: Options = DEFAULT_OPTIONS,
    limits: Limits = DEFAULT_LIMITS,
) -> Verdict:
    """Compare two PNG files. Equal bytes are equal without being decoded.

    Raises ImageError for either file; of files with equal bytes only the header is checked.
    """
    if before == after:
        info = probe(before, limits)
        return Verdict(
            equal=True,
            diff_pixels=0,
            diff_ratio=0.0,
            width=info.width,
            height=info.height,
            reason="identical",
        )
    return _decide(engine().mark(before, after, options, limits))


def compare_and_render(
    before: bytes,
    after: bytes,
    options: Options = DEFAULT_OPTIONS,
    limits: Limits = DEFAULT_LIMITS,
) -> Comparison:
    """Do the work of ``compare`` and ``render_diff`` while decoding once. Raises ImageError."""
    marks = engine().mark(before, after, options, limits)
    return Comparison(_decide(marks), marks.pair.draw())


def compare_with_marks(
    before: bytes,
    after: bytes,
    options: Options = DEFAULT_OPTIONS,
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[Verdict, Marks]:
    """Return the verdict, and the marks for drawing the diff image. Raises ImageError."""
    marks = engine().mark(before, after, options, limits)
    return _decide(marks), marks


def render_diff(
    before: bytes,
    after: bytes,
    options: Options = DEFAULT_OPTIONS,
    limits: Limits = DEFAULT_LIMITS,
) -> bytes:
    """Return a PNG of the differences between two PNG files, in the size of their union.

    The earlier image is faded to gray (the taller one where rows were inserted), changes are
    red, faint areas teal, anti-aliased pixels yellow, ignored regions hatched in blue. Raises
    ImageError.
    """
    return compare_and_render(before, after, options, limits).diff_image


def hash_pixels(data: bytes, limits: Limits = DEFAULT_LIMITS) -> VerifiedImage:
    """Read the whole file and return its size and the digest of its pixels. Raises ImageError."""
    return engine().hash_pixels(data, limits)


def _decide(marks: Marks) -> Verdict:
    counts = marks.counts
    return Verdict(
        equal=counts.different == 0,
        diff_pixels=counts.different,
        diff_ratio=counts.different / counts.compared if counts.compared else 0.0,
        width=marks.width,
        height=marks.height,
        reason=_determine_reason(marks),
        boxes=marks.boxes,
        anti_aliased_pixels=counts.anti_aliased,
        region_diff_pixels=counts.ignored,
    )


def _determine_reason(marks: Marks) -> Reason:
    counts = marks.counts
    if counts.different:
        return "pixels" if marks.same_size else "size"
    if counts.ignored:
        return "regions"
    if counts.anti_aliased or counts.ignored_anti_aliased:
        return "anti_aliased"
    return "below_threshold" if counts.slight else "identical"
