"""``make bench-mcp``: the actions over REST and over both protocol versions of MCP.

Next to them, ``list_builds`` as a bare view of each framework and as an earlier commit has it. All
of them alternate, so that other load on the machine affects them alike.
"""

import argparse
import os
import signal
import sys
from collections.abc import Sequence

from scripts.demo_folder import DemoError
from scripts.setup_steps import ROOT, SetupError

from benchmarks.bars import (
    TWICE_DECIDED,
    Bar,
    Figures,
    Growth,
    Statements,
    compute_bars,
    format_table,
)
from benchmarks.calls.growth import measure_growth
from benchmarks.calls.runs import (
    LISTED,
    WARM_UP_SECONDS,
    Interface,
    Run,
    measure_runs,
    reference_interfaces,
    service_interfaces,
)
from benchmarks.calls.web_processes import bare_web, earlier_web
from benchmarks.load import UnexpectedResponseError
from benchmarks.requests import Call
from benchmarks.service import Service, filled_service
from visual_review.config.boot import load

CONNECTIONS = (1, 20)
COMMENTS = 20
PINNED = ROOT / "tests" / "api" / "test_action_queries.py"
Results = tuple[list[Figures], list[Statements], Growth | None]


def list_call(service: Service) -> Call:
    return Call("list_builds", {"repoId": service.seeded.repository_id, "limit": LISTED})


def build_calls(service: Service, connections: int) -> list[Call]:
    """Return calls of the large build, and of another one for each connection."""
    ids = service.seeded.build_ids[:connections]
    return [Call("get_build", {"buildId": build_id}) for build_id in ids]


def decision_calls(service: Service) -> list[Call]:
    """Return decisions on each changed screenshot of the large build.

    Each has another comment than the one before: the same decision again would write nothing.
    """
    shots = service.seeded.screenshot_ids
    return [
        Call("review_screenshot", {"screenshotId": shot, "state": "rejected", "comment": comment})
        for comment in map(str, range(COMMENTS))
        for shot in shots
    ]


def measure_action(
    calls: Sequence[Call],
    interfaces: Sequence[Interface],
    connections: int,
    seconds: float,
    title: str = "",
) -> list[Figures]:
    say(f"{title or calls[0].action}, {connections} at a time")
    return measure_runs([Run(each, calls, connections, title) for each in interfaces], seconds)


def measure_service(
    service: Service,
    references: Sequence[Interface],
    options: argparse.Namespace,
) -> Results:
    """Return the figures of each action, its statements, and the growth over many calls."""
    interfaces = service_interfaces(service.web, service.key)
    listing = list_call(service)
    for each in (*interfaces, *references):
        # The first calls create threads and database connections.
        Run(each, [listing], max(CONNECTIONS)).call(WARM_UP_SECONDS)
    rows: list[Figures] = []
    for connections in CONNECTIONS:
        together = [*interfaces, *references]
        rows += measure_action([listing], together, connections, options.seconds)
    for connections in CONNECTIONS:
        calls = build_calls(service, connections)
        rows += measure_action(calls, interfaces, connections, options.seconds)
    decided = [Call("get_build", {"buildId": service.seeded.decided_id})]
    rows += measure_action(decided, interfaces, 1, options.seconds, TWICE_DECIDED)
    for connections in CONNECTIONS:
        calls = decision_calls(service)
        rows += measure_action(calls, interfaces, connections, options.seconds)
    # By name, because it needs the settings, which need the database.
    count = load("benchmarks.calls.statements.count_all")
    one_of_each = [listing, build_calls(service, 1)[0], decision_calls(service)[0]]
    statements: list[Statements] = count(one_of_each, service.key)
    if not options.calls:
        return rows, statements, None
    say(f"list_builds, {options.calls:,} times over all interfaces")
    return rows, statements, measure_growth(interfaces, listing, options.calls)


def say(line: str) -> None:
    print(f"bench-mcp: {line}", flush=True)


def run_benchmark(options: argparse.Namespace) -> list[str]:
    """Measure, print the table, and return the missed bars."""
    say(
        f"{os.cpu_count()} CPUs for service, PostgreSQL and load generator together; load average "
        f"before the run: {os.getloadavg()[0]:.1f}"
    )
    say(f"filling the service: {options.builds} builds, 20 of {options.screenshots} screenshots")
    with (
        filled_service(options.builds, options.screenshots) as service,
        bare_web(service.folder, service.url) as bare,
        earlier_web(service.folder, service.url) as earlier,
    ):
        references = reference_interfaces(bare, earlier, service.key)
        rows, statements, growth = measure_service(service, references, options)
    statements += load("benchmarks.calls.statements.pinned_statements")(PINNED)
    bars: list[Bar | Statements | Growth] = [*compute_bars(rows), *statements]
    if growth is not None:
        bars.append(growth)
    print(format_table(rows), *bars, sep="\n")
    return [str(bar) for bar in bars if bar.missed]


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench-mcp", description=__doc__)
    parser.add_argument("--builds", type=int, default=100_000)
    parser.add_argument("--screenshots", type=int, default=12_000)
    parser.add_argument("--seconds", type=float, default=6.0, help="per action and interface")
    parser.add_argument("--calls", type=int, default=100_000, help="for the growth; 0 for none")
    parser.add_argument(
        "--quick", action="store_true", help="20,000 builds, 3 seconds each, 20,000 calls"
    )
    options = parser.parse_args()
    if options.quick:
        options.builds, options.seconds, options.calls = 20_000, 3.0, 20_000
    return options


def main() -> int:
    options = read_options()
    # A canceled CI job must stop its service, too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        missed = run_benchmark(options)
    except (DemoError, SetupError, UnexpectedResponseError) as error:
        print(f"bench-mcp: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    if missed and os.environ.get("CHECK") == "1":
        print(f"bench-mcp: {len(missed)} bar(s) missed:", *missed, sep="\n", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
