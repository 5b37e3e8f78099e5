"""The bars of ``bench-mcp`` that compare the service with others, and those of its queries."""

from dataclasses import replace
from pathlib import Path

from benchmarks.bars import (
    BARE_DJANGO,
    BARE_STARLETTE,
    EARLIER,
    REST,
    Figures,
    Growth,
    Statements,
    compute_bars,
    format_table,
)
from benchmarks.calls.statements import pinned_statements

from tests.support.case import Case
from visual_review.actions.registry import callable_actions

BARE = Figures("list_builds", 20, BARE_DJANGO, 10, 300.0, 0.060, 0.09, 0.002, 0.0, 1000)
SERVED = replace(BARE, interface=REST, p50=0.089, cpu=0.0029, rate=200.0)
BEFORE = replace(BARE, interface=EARLIER, rate=80.0)


def missed(*rows: Figures) -> list[str]:
    return [str(bar) for bar in compute_bars(rows) if bar.missed]


def test_rest_may_take_1_5_times_the_time_and_the_cpu_of_a_bare_view(case: Case) -> None:
    assert missed(SERVED, BARE) == []
    for row, wanted in (
        (replace(SERVED, p50=0.091), "p50 91.0 ms, bar 90.0 (1.5 x bare Django)"),
        (replace(SERVED, cpu=0.0031), "CPU 3.1 ms, bar 3.0 (1.5 x bare Django)"),
    ):
        with case(wanted):
            (line,) = missed(row, BARE)
            assert line == f"MISSED: list_builds over REST at 20: {wanted}"


def test_rest_must_serve_2_5_times_the_calls_of_the_earlier_commit() -> None:
    assert missed(SERVED, BEFORE) == []
    (line,) = missed(replace(SERVED, rate=199.9), BEFORE)
    assert line.endswith("calls/s 199.9, bar 200.0 (2.5 x earlier REST)")


def test_what_the_service_is_compared_with_has_no_bars() -> None:
    others = [replace(BARE, connections=1, p50=9.0), replace(BEFORE, connections=1, p50=9.0)]
    assert compute_bars([*others, replace(BARE, interface=BARE_STARLETTE)]) == []


def test_without_the_history_only_its_bar_is_left_out() -> None:
    rules = [bar.rule for bar in compute_bars([SERVED, BARE])]
    assert rules == ["1.5 x bare Django", "1.5 x bare Django"]
    assert len(format_table([SERVED, BARE]).splitlines()) == 3


def test_a_growth_of_5_mb_misses_the_bar() -> None:
    assert not Growth(10_000, 100_000, 80_000_000, 84_999_999).missed
    grown = Growth(10_000, 100_000, 80_000_000, 85_000_000)
    assert str(grown) == (
        "MISSED: memory of the web process: 80.0 MB after 10,000 calls, 85.0 MB after 100,000, "
        "growth 5.0 MB, bar 5.0"
    )


def test_an_action_may_send_six_statements() -> None:
    assert not Statements("get_build", 6, "pinned").missed
    assert str(Statements("get_build", 7, "pinned")) == (
        "MISSED: get_build: 7 queries (pinned), bar 6"
    )


def test_pinned_numbers_are_read_from_the_test(tmp_path: Path) -> None:
    test = tmp_path / "test_queries.py"
    test.write_text('OTHER = {"x": 1}\nQUERIES = {\n    "list_repos": 2,  # Why.\n}\n')
    assert list(pinned_statements(test)) == [Statements("list_repos", 2, "pinned")]


def test_the_test_pins_every_action() -> None:
    table = Path(__file__).parents[2] / "api" / "test_action_queries.py"
    names = {pinned.action for pinned in pinned_statements(table)}
    assert names == {action.name for action in callable_actions()}
