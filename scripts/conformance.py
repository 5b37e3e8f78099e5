"""Run the official MCP conformance suite against the real program: ``make conformance``.

Both published versions of the suite are run, to cover all protocol versions.
conformance_scenarios.toml lists the scenarios that apply to this server, and the reason for every
other one.
"""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Page

from scripts.conformance_proxy import key_proxy
from scripts.conformance_sign_in import MCP_PATH, SignInTarget, run_sign_in
from scripts.conformance_suite import RUNS, ConformanceError, known_scenarios, run_suite
from scripts.conformance_table import (
    BAD,
    SUCCESS,
    TABLE,
    Outcome,
    Scenarios,
    find_failures,
    read_table,
)
from scripts.demo_folder import DemoError, demo_folder
from scripts.demo_server import running_server
from scripts.setup_steps import SetupError
from scripts.setup_tools import find_node


def measure(server: SignInTarget, node: Path, page: Page | None = None) -> list[Outcome]:
    """Run the suite in every version; a proxy adds the key, because the suite sends none.

    The scenarios with a sign-in use ``page``, or a browser of their own.
    """
    with (
        key_proxy(server.url, server.key) as url,
        tempfile.TemporaryDirectory(prefix="conformance-") as results,
    ):
        found = [
            outcome
            for number, run in enumerate(RUNS)
            for outcome in run_suite(run, node, f"{url}{MCP_PATH}", Path(results) / str(number))
        ]
        return found + run_sign_in(server, node, Path(results) / "sign-in", page)


def table_lines(scenarios: Scenarios, found: Sequence[Outcome]) -> list[str]:
    """Return a readable table: the checks of each run, excused checks, inapplicable scenarios."""
    runs = list(dict.fromkeys(outcome.run for outcome in found))
    width = max(map(len, scenarios.applies | scenarios.does_not_apply.keys()))
    lines = [f"{'Checks that passed':{width}}  " + "  ".join(runs)]
    for name in sorted(scenarios.applies):
        cells = {o.run: _cell(scenarios, o) for o in found if o.scenario == name}
        row = "  ".join(f"{cells.get(run, '-'):{len(run)}}" for run in runs)
        lines.append(f"{name:{width}}  {row}".rstrip())
        excused = sorted(scenarios.excuses(name).items())
        lines += [f"  {check} is excused: {reason}" for check, reason in excused]
    lines += ["", "Does not apply"]
    rest = sorted(scenarios.does_not_apply.items())
    return lines + [f"{name:{width}}  {reason}" for name, reason in rest]


def _cell(scenarios: Scenarios, outcome: Outcome) -> str:
    excuses = scenarios.excuses(outcome.scenario)
    failed = sum(check.status in BAD and check.name not in excuses for check in outcome.checks)
    passed = str(outcome.count(SUCCESS))
    return f"{passed}, {failed} FAILED" if failed else passed


def run_conformance() -> list[str]:
    """Print the table and return the failures."""
    node = find_node()
    scenarios = read_table(TABLE.read_text(encoding="utf-8"))
    with demo_folder("conformance") as folder, running_server(folder, preferred_port=0) as server:
        server.act("connect_repo", fullName="harbour/design-system")
        found = measure(server, node)
    print("\n".join(table_lines(scenarios, found)))
    return find_failures(scenarios, known_scenarios(node), found)


def main() -> int:
    try:
        wrong = run_conformance()
    except (ConformanceError, DemoError, SetupError) as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 1
    for line in wrong:
        print(f"conformance: {line}", file=sys.stderr)
    print(f"conformance: {f'{len(wrong)} failures' if wrong else 'all that applies passed'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
