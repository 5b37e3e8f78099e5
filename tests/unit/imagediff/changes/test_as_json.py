"""Changes as JSON."""

from visual_review.imagediff import Box
from visual_review.imagediff.changes.model import Change, Offset, change_from_json, change_to_json


def test_changes_are_read_as_they_were_written() -> None:
    box = Box(1, 2, 3, 4)
    moved = Change("moved", box, 12, "moved down by 4 px", moved_by=Offset(0, 4))
    text = Change("text", box, 7, "other text", None, ("#000000", "#111111"), (21.0, 4.5))
    for change in (moved, text):
        assert change_from_json(change_to_json(change)) == change
    assert change_to_json(moved)["movedBy"] == {"x": 0, "y": 4}
    assert change_to_json(text)["contrast"] == {"before": 21.0, "after": 4.5}
