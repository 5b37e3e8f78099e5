"""Decisions on a screenshot that are as the one before; pure."""

from visual_review.builds.models import Screenshot
from visual_review.builds.reviewing.approval import Decider
from visual_review.builds.states import REJECTED, Decision


def is_decided_alike(
    shot: Screenshot, decision: Decision, comment: str | None, decider: Decider
) -> bool:
    """Return whether the decision would leave the screenshot as it is."""
    if shot.review_decision != decision:
        return False
    if decision == REJECTED:
        # Whose retry it is makes no difference: the author has read this.
        return comment is None or comment.strip() == shot.comment.strip()
    # An approval that was carried over becomes the caller's own.
    own = (shot.decided_by_id, shot.decision_source) == (decider.id, decider.source)
    return own and shot.comment == (comment or "")
