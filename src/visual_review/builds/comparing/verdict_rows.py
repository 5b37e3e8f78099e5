"""Comparisons as rows: the verdict on a pair, and the changes."""

from typing import Final

from visual_review.builds.models import Comparison
from visual_review.imagediff import Box, Verdict
from visual_review.imagediff.changes.model import CHANGE_KINDS, Analysis, change_to_json
from visual_review.imagediff.changes.parts import signature_from_json, signature_to_json

# A build may have thousands of changed screenshots, each with dozens of changes.
LARGE_FIELDS: Final = ("boxes", "changes")


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
