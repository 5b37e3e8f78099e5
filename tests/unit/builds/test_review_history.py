"""Whether a rejection stands among the decisions on its screenshot."""

from tests.support.case import Case
from visual_review.builds.review_history import LoggedComment, stands

SAME = LoggedComment("rejected", "Too red")
OTHER = LoggedComment("rejected", "Too blue")
APPROVED = LoggedComment("approved", "")
CLEARED = LoggedComment("cleared", "")


def test_a_rejection_stands_until_it_is_cleared(case: Case) -> None:
    for decisions, expected in (
        ([], False),
        ([SAME], True),
        ([OTHER], False),
        ([SAME, CLEARED], False),
        ([SAME, APPROVED], True),
        ([SAME, APPROVED, CLEARED], True),
        ([SAME, OTHER, CLEARED], True),
        ([SAME, SAME, CLEARED], False),
        ([SAME, CLEARED, SAME], True),
        ([SAME, APPROVED, SAME, CLEARED], False),
        ([CLEARED, SAME], True),
    ):
        with case(decisions):
            assert stands(SAME, decisions) == expected
