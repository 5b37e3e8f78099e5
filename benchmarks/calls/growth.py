"""Whether the web process keeps memory of its calls."""

from collections.abc import Sequence

from benchmarks.bars import Growth
from benchmarks.calls.runs import Interface, Run
from benchmarks.requests import Call

CONNECTIONS = 20
# The interfaces alternate after so many calls.
CHUNK = 1_000
# By then every thread, connection and cache exists.
FIRST_SHARE = 0.1
FOREVER = float("inf")


def measure_growth(interfaces: Sequence[Interface], call: Call, calls: int) -> Growth:
    """Make ``calls`` calls over the interfaces in turn, and compare the memory of their process."""
    first_calls, made, first = round(calls * FIRST_SHARE), 0, 0
    web = interfaces[0].web
    turn = 0
    while made < calls:
        run = Run(interfaces[turn % len(interfaces)], [call], CONNECTIONS)
        made += len(run.call(FOREVER, min(CHUNK, calls - made)).seconds)
        turn += 1
        if not first and made >= first_calls:
            first, first_calls = web.resident_bytes(), made
    return Growth(first_calls, made, first, web.resident_bytes())
