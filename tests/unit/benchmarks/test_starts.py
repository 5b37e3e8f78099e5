"""The tables and bars of ``bench-start``, and what it reads from the system."""

import psutil
from benchmarks.start.memory import (
    Memory,
    ProcessMemory,
    add_memory,
    name_process,
    parse_rollup,
    read_memory,
)
from benchmarks.start.observation import (
    ALIVE,
    FIRST_LINE,
    GREETED,
    POSTGRES_READY,
    READY,
    Start,
    simplify_line,
)
from benchmarks.start.results import (
    CPU,
    EMPTY,
    EXISTING,
    format_lines,
    format_memory,
    format_steps,
    median_of,
    missed_bars,
)

ROLLUP = """55d0-7ffe ---p 00000000 00:00 0    [rollup]
Rss:              1000 kB
Pss:               600 kB
Pss_Dirty:         500 kB
Shared_Clean:      300 kB
Private_Clean:     100 kB
Private_Dirty:     400 kB
"""
PROCESSES = [
    ProcessMemory(1, "supervisor", Memory(40_000_000, 30_000_000, 60_000_000)),
    ProcessMemory(2, "web", Memory(140_000_000, 120_000_000, 170_000_000)),
    ProcessMemory(3, "worker", Memory(100_000_000, 90_000_000, 140_000_000)),
    ProcessMemory(4, "postgres", Memory(11_000_000, 7_000_000, 23_000_000)),
    ProcessMemory(5, "postgres", Memory(9_000_000, 7_000_000, 23_000_000)),
]


def start_of(ready: float, words: float = 0.2) -> Start:
    steps = {FIRST_LINE: words, POSTGRES_READY: 1.0, ALIVE: ready - 0.1, READY: ready}
    steps[GREETED] = ready + 0.1
    return Start(steps, cpu=ready / 2)


def test_a_median_is_given_only_for_steps_that_every_start_had() -> None:
    starts = [start_of(3.0), start_of(9.0), start_of(4.0)]
    assert (median_of(starts, READY), median_of(starts, CPU)) == (4.0, 2.0)
    del starts[0].steps[POSTGRES_READY]
    assert median_of(starts, POSTGRES_READY) is None
    lines = format_steps({EMPTY: starts, EXISTING: [start_of(2.0)]}).splitlines()
    assert len({len(line) for line in lines}) == 1
    assert [line.split()[-2:] for line in lines[1:]] == [
        ["0.20", "0.20"],
        ["-", "-"],
        ["-", "1.00"],
        ["3.90", "1.90"],
        ["4.00", "2.00"],
        ["4.10", "2.10"],
        ["2.00", "1.00"],
    ]


def test_each_folder_has_its_bar() -> None:
    columns = {EMPTY: [start_of(9.9)], EXISTING: [start_of(3.9)]}
    assert list(missed_bars(columns, PROCESSES)) == []
    late = {EMPTY: [start_of(10.0)], EXISTING: [start_of(4.0, words=1.0)]}
    assert list(missed_bars(late, None)) == [
        "empty folder: ready after 10.00 s, bar 10.0",
        "existing folder: ready after 4.00 s, bar 4.0",
        "existing folder: first words after 1.00 s, bar 1.0",
    ]


def test_memory_has_a_bar_without_that_of_postgresql() -> None:
    columns = {EMPTY: [start_of(1.0)], EXISTING: [start_of(1.0)]}
    more = ProcessMemory(6, "worker", Memory(20_000_000, 0, 0))
    (line,) = missed_bars(columns, [*PROCESSES, more])
    assert line == "300 MB (PSS) without PostgreSQL, bar 300"
    table = format_memory(PROCESSES).splitlines()
    assert [line.split()[-3:] for line in table[-2:]] == [
        ["280.0", "240.0", "370.0"],
        ["20.0", "14.0", "46.0"],
    ]
    assert len(table) == 6


def test_sizes_are_read_from_the_kernels_summary() -> None:
    assert parse_rollup(ROLLUP) == Memory(600 * 1024, 500 * 1024, 1000 * 1024)


def test_the_memory_of_a_running_process_and_its_name() -> None:
    process = psutil.Process()
    own = read_memory(process)[0]
    assert (own.pid, own.name) == (process.pid, "supervisor")
    assert 0 < own.memory.uss <= own.memory.pss <= own.memory.rss
    assert name_process(process) == process.name()
    assert add_memory([own], postgres=True) == Memory(0, 0, 0)


def test_lines_of_the_log_are_not_words_for_people() -> None:
    start = Start()
    start.add_line(0.5, '{"level": "INFO", "message": "listening"}')
    assert FIRST_LINE not in start.steps
    start.add_line(0.7, "Starting PostgreSQL")
    start.add_line(0.9, "Visual Review is ready at http://127.0.0.1:8123")
    assert start.steps == {FIRST_LINE: 0.7, GREETED: 0.9}
    shown = [line for _, line in start.lines[:2]]
    assert shown == ["log: listening", "Starting PostgreSQL"]


def test_lines_that_differ_in_numbers_and_paths_are_the_same_step() -> None:
    first = "Visual Review is ready at http://127.0.0.1:8123"
    assert simplify_line(first) == "Visual Review is ready at"
    starts = [
        Start(lines=[(1.0, first), (2.0, "only here")]),
        Start(lines=[(3.0, "Visual Review is ready at http://127.0.0.1:9000")]),
    ]
    assert list(format_lines(starts)) == ["    2.00  Visual Review is ready at"]
