"""A pair of images to compare, and the rows with the already known verdicts. Rule 11."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from visual_review.builds.images.image_memory import size_of
from visual_review.builds.models import Comparison, Image
from visual_review.imagediff import Box, Options, Region, Verdict, engine_key
from visual_review.imagediff.changes.model import CHANGE_KINDS, Analysis, change_to_json
from visual_review.imagediff.changes.parts import signature_from_json, signature_to_json
from visual_review.imagediff.memory import comparison_memory

# A build may have thousands of changed screenshots, each with dozens of changes.
LARGE_FIELDS: Final = ("boxes", "changes")
DEFAULT_THRESHOLD = 0.1


def make_comparison(
    organization_id: str, key: str, verdict: Verdict, analysis: Analysis
) -> Comparison:
    """Return the row to cache the verdict and the analysis; the caller stores the row."""
    return Comparison(
        organization_id=organization_id,
        key=key,
        diff_pixels=verdict.diff_pixels,
        diff_ratio=verdict.diff_ratio,
        reason=verdict.reason,
        boxes=[_box(box) for box in verdict.boxes],
        only_in_regions=verdict.only_in_regions,
        has_picture=needs_diff_image(verdict, analysis),
        kind=analysis.kind or "",
        summary=analysis.summary,
        severity=analysis.severity,
        aligned_pixels=analysis.aligned_pixels,
        aligned_ratio=analysis.aligned_ratio,
        faint_pixels=analysis.faint_pixels,
        is_faintly_changed=analysis.is_faintly_changed,
        changes=[change_to_json(change) for change in analysis.changes],
        signature=signature_to_json(analysis.signature),
    )


def needs_diff_image(verdict: Verdict, analysis: Analysis) -> bool:
    """Return whether a screenshot may be shown as changed because of the verdict."""
    return not verdict.equal or analysis.is_faintly_changed


def analysis_of(row: Comparison) -> Analysis:
    """Return the analysis in the row, without the single ``changes``."""
    return Analysis(
        kind=next((kind for kind in CHANGE_KINDS if kind == row.kind), None),
        summary=row.summary,
        changes=(),
        aligned_pixels=row.aligned_pixels,
        aligned_ratio=row.aligned_ratio,
        faint_pixels=row.faint_pixels,
        is_faintly_changed=row.is_faintly_changed,
        severity=row.severity,
        signature=signature_from_json(row.signature),
    )


def _box(box: Box) -> dict[str, int]:
    return {"x": box.x, "y": box.y, "width": box.width, "height": box.height}


@dataclass(frozen=True)
class Pair:
    """Two images of one story and variant, with the options of their comparison.

    ``regions`` are fractions of the image, ``threshold`` is the color distance that passes.
    """

    before: Image
    after: Image
    regions: tuple[tuple[float, float, float, float], ...] = ()
    threshold: float = DEFAULT_THRESHOLD

    @property
    def pixel_equal(self) -> bool:
        return self.before.pixels_sha256 == self.after.pixels_sha256

    @cached_property
    def key(self) -> str:
        """Digest of all inputs of the verdict, including the engine and its version."""
        inputs = [
            engine_key(),
            self.before.pixels_sha256,
            self.after.pixels_sha256,
            sorted(self.regions),
            self.threshold,
        ]
        return hashlib.sha256(json.dumps(inputs).encode()).hexdigest()

    @property
    def memory(self) -> int:
        """The most bytes of memory needed to compare the pair."""
        files = (self.before.size, self.after.size)
        # The compressed content of a file is copied before it is inflated.
        return (
            sum(files) + max(files) + comparison_memory(size_of(self.before), size_of(self.after))
        )

    def options(self) -> Options:
        return Options(
            threshold=self.threshold, regions=tuple(Region(*region) for region in self.regions)
        )


def region_tuples(
    regions: Sequence[Mapping[str, Any]],
) -> tuple[tuple[float, float, float, float], ...]:
    """Return regions in a fixed order, so that the same set has the same digest."""
    return tuple(sorted((r["x"], r["y"], r["width"], r["height"]) for r in regions))


def cached_comparisons(organization_id: str, pairs: Iterable[Pair]) -> dict[str, Comparison]:
    """Return the already known verdicts, by the key of their pair."""
    keys = {pair.key for pair in pairs if not pair.pixel_equal}
    rows = Comparison.objects.filter(organization_id=organization_id, key__in=keys)
    rows = rows.defer(*LARGE_FIELDS)
    return {row.key: row for row in rows}
