"""Restoring a baseline to an earlier move: a new move with the older set; nothing is undone."""

from visual_review.builds.baselines.store import RESTORE, Move, entries_at, move_baseline
from visual_review.builds.models import Baseline, BaselineMove
from visual_review.kernel.errors import ConflictError, NotFoundError


def restore_baseline(
    baseline: Baseline, sequence: int, by: tuple[str, str], reason: str
) -> BaselineMove:
    """Move ``baseline`` to the set it had after move ``sequence``; ``by`` is (id, name).

    Raises NotFoundError for a move that does not exist, ConflictError for the current one.
    """
    locked = Baseline.objects.select_for_update(no_key=True).get(pk=baseline.pk)
    if not BaselineMove.objects.filter(baseline=locked, sequence=sequence).exists():
        raise NotFoundError(f"This baseline has no move {sequence}.")
    if sequence == locked.last_move:
        raise ConflictError(
            f"Move {sequence} is the current baseline; there is nothing to restore."
        )
    by_id, by_name = by
    move = Move(
        kind=RESTORE,
        build=None,
        by_id=by_id,
        by_name=by_name,
        reason=reason,
        restored_sequence=sequence,
    )
    return move_baseline(locked, entries_at(locked.id, sequence), move)
