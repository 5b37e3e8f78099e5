"""Restore an earlier version of a baseline: a new version with the same set; nothing is undone."""

from visual_review.builds.baselines.store import (
    RESTORE,
    VersionDetails,
    create_baseline_version,
    entries_at,
)
from visual_review.builds.models import Baseline, BaselineVersion
from visual_review.kernel.errors import ConflictError, NotFoundError


def restore_baseline(
    baseline: Baseline, sequence: int, by: tuple[str, str], reason: str
) -> BaselineVersion:
    """Create a version of ``baseline`` with the set of version ``sequence``; ``by`` is (id, name).

    Raises NotFoundError for a missing version, ConflictError for the current one.
    """
    rows = Baseline.objects.select_for_update(no_key=True)
    locked = rows.filter(pk=baseline.pk, last_version__gte=1).first()
    if locked is None:
        raise NotFoundError("This baseline was deleted, since its branch no longer exists.")
    if not BaselineVersion.objects.filter(baseline=locked, sequence=sequence).exists():
        raise NotFoundError(f"This baseline has no version {sequence}.")
    if sequence == locked.last_version:
        raise ConflictError(f"Version {sequence} is already the current version of the baseline.")
    by_id, by_name = by
    details = VersionDetails(
        kind=RESTORE,
        build=None,
        by_id=by_id,
        by_name=by_name,
        reason=reason,
        restored_sequence=sequence,
    )
    return create_baseline_version(locked, entries_at(locked.id, sequence), details)
