"""Parts removed from built code because every build changes their value."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visual_review.client.capture.sources.built_code import COMMIT, TIME, BuildValues

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
SHA = "3f2a9c1" + "0" * 33
VALUES = BuildValues(frozenset({SHA}), NOW)


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-29T11:58:03.123Z",
        "2026-11-29T12:58:03+01:00",
        "2026-11-29 11:58",
        str(int(NOW.timestamp()) - 60),
        str(int(NOW.timestamp() * 1000) - 60_000),
    ],
)
def test_the_time_of_the_build_is_removed(text: str) -> None:
    assert VALUES.remove(f'const t="{text}";') == ('const t="";', {TIME})


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-20T11:58:03.123Z",
        "2026-11-29",
        "2026-13-45T99:99:99Z",
        str(int(NOW.timestamp()) - 200_000),
        "0x1764417600",
        f"a{SHA}",
        f"{SHA[:6]}",
        "3f2a9c1g",
    ],
)
def test_any_other_value_is_kept(text: str) -> None:
    assert VALUES.remove(text) == (text, frozenset())


@given(st.text(), st.integers(7, 40), st.text())
def test_nothing_but_the_commit_is_removed(before: str, length: int, after: str) -> None:
    without = BuildValues(frozenset(), NOW)
    text, removed = VALUES.remove(f"{before} {SHA[:length]} {after}")
    assert text == without.remove(f"{before}  {after}")[0]
    assert COMMIT in removed
