"""Lines end where their tokens exceed the budget."""

from hypothesis import given
from hypothesis import strategies as st

from visual_review.api.mcp.rendering.truncation import count_tokens, limit_lines

lines_of_others = st.lists(st.text('abXY09 ."{}é', max_size=12), max_size=12)


@given(lines_of_others, st.integers(0, 60))
def test_as_many_lines_as_fit_are_written(lines: list[str], budget: int) -> None:
    found = list(limit_lines(lines, str, budget, "lines"))
    fitting = [
        number
        for number in range(len(lines) + 1)
        if sum(map(count_tokens, lines[:number])) <= budget
    ]
    most = max(fitting)
    left = len(lines) - most
    more = [f"- and {left} more lines, not listed here"] if left else []
    assert found == [*lines[:most], *more]
