"""The kinds of notes on an image, and the sentence that each gives."""

from typing import Final

from visual_review.client.capture.results import Note

TRUNCATED: Final = "truncated"


def describe(note: Note) -> str:
    """Return one sentence for people."""
    return note.detail
