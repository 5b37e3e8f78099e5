"""Each parameter and each header that names toolsets only removes tools."""

from tests.support.case import Case
from visual_review.api.mcp.tool_selection import read_selection


def test_repeated_limits_are_intersected(case: Case) -> None:
    for query, headers in (
        ("tools=review&tools=published", ()),
        ("", ("review", "published")),
        ("tools=review", ("published",)),
    ):
        with case((query, headers)):
            found = {action.name for action in read_selection(query, headers).actions()}
            single = [
                {action.name for action in read_selection("", (each,)).actions()}
                for each in ("review", "published")
            ]
            assert found == single[0] & single[1]
            assert found < single[0] | single[1]
