"""Signatures of compared images."""

from visual_review.imagediff.changes.analysis import analyze
from visual_review.imagediff.changes.model import Signature
from visual_review.imagediff.port import Marks


def sign(marks: Marks) -> Signature:
    """Return the signature as an analysis has it."""
    return analyze(marks).signature
