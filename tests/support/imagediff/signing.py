"""Signatures of compared images."""

from visual_review.imagediff.changes.model import Signature
from visual_review.imagediff.changes.signatures import make_signature
from visual_review.imagediff.port import Marks


def sign(marks: Marks) -> Signature:
    """Return the signature as an analysis has it."""
    return make_signature(marks, marks.pair.align())
