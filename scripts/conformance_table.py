"""The scenarios of the conformance suite that must pass, and how results differ from the table.

Pure, except for reading the table next to this file.
"""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

TABLE: Final = Path(__file__).with_name("conformance_scenarios.toml")
SUCCESS: Final = "SUCCESS"
# A warning is a SHOULD of the specification and counts as a MUST here.
BAD: Final = frozenset({"FAILURE", "WARNING"})
# The suite adds this check to every scenario, so the check says nothing about any scenario.
ADDED_TO_EVERY_SCENARIO: Final = frozenset({"wire-schema-valid"})


@dataclass(frozen=True)
class Check:
    """One check of a scenario."""

    name: str
    status: str
    message: str = ""


@dataclass(frozen=True)
class Outcome:
    """The result of one scenario in one run of the suite."""

    run: str
    scenario: str
    checks: tuple[Check, ...]

    def count(self, status: str) -> int:
        return sum(check.status == status for check in self.checks)


@dataclass(frozen=True)
class Scenarios:
    """The table: applicable scenarios, their excused checks, and the reasons of all others."""

    applies: frozenset[str]
    excused: Mapping[str, Mapping[str, str]]
    does_not_apply: Mapping[str, str]

    def excuses(self, scenario: str) -> Mapping[str, str]:
        return self.excused.get(scenario, {})


def read_table(text: str) -> Scenarios:
    table = tomllib.loads(text)
    return Scenarios(frozenset(table["applies"]), table["excused"], table["does_not_apply"])


def find_failures(
    scenarios: Scenarios, known: Iterable[str], found: Sequence[Outcome]
) -> list[str]:
    """Return all differences from the table, one line each.

    ``known`` are the names of all scenarios of the suite.
    """
    return [
        *_find_unlisted(scenarios, set(known)),
        *(line for outcome in found for line in _failures_of(scenarios, outcome)),
        *_find_skipped(scenarios, found),
        *_find_stale_excuses(scenarios, found),
    ]


def _find_unlisted(scenarios: Scenarios, known: set[str]) -> list[str]:
    listed = scenarios.applies | scenarios.does_not_apply.keys()
    both = scenarios.applies & scenarios.does_not_apply.keys()
    return [
        *(f"{name}: the suite has it and {TABLE.name} does not" for name in sorted(known - listed)),
        *(f"{name}: {TABLE.name} has it and the suite does not" for name in sorted(listed - known)),
        *(f"{name}: {TABLE.name} has it twice" for name in sorted(both)),
    ]


def _failures_of(scenarios: Scenarios, outcome: Outcome) -> list[str]:
    if outcome.scenario not in scenarios.applies:
        return []
    excuses = scenarios.excuses(outcome.scenario)
    where = f"{outcome.scenario} ({outcome.run})"
    bad = [
        f"{where}: {check.name}: {check.message or check.status.lower()}"
        for check in outcome.checks
        if check.status in BAD and check.name not in excuses
    ]
    return bad or ([] if _checks_something(outcome, excuses) else [f"{where}: it checked nothing"])


def _checks_something(outcome: Outcome, excuses: Mapping[str, str]) -> bool:
    return any(
        check.name in excuses
        or (check.status == SUCCESS and check.name not in ADDED_TO_EVERY_SCENARIO)
        for check in outcome.checks
    )


def _find_skipped(scenarios: Scenarios, found: Sequence[Outcome]) -> list[str]:
    run = {outcome.scenario for outcome in found}
    return [f"{name}: it applies and was not run" for name in sorted(scenarios.applies - run)]


def _find_stale_excuses(scenarios: Scenarios, found: Sequence[Outcome]) -> list[str]:
    used = {
        (outcome.scenario, check.name)
        for outcome in found
        for check in outcome.checks
        if check.status in BAD
    }
    return [
        f"{scenario}: {check}: the excuse is no longer needed"
        for scenario, excuses in sorted(scenarios.excused.items())
        for check in sorted(excuses)
        if (scenario, check) not in used
    ]
