"""The default of the setting of faint changes."""

from visual_review.imagediff.changes.model import FAINT_COUNTS_BY_DEFAULT
from visual_review.repositories.models import FAINT_CHANGES_COUNT


def test_the_service_and_the_command_line_have_the_same_default() -> None:
    # They cannot import each other.
    assert FAINT_CHANGES_COUNT is FAINT_COUNTS_BY_DEFAULT
