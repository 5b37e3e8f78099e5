"""The official conformance suite finds nothing wrong with the real program."""

from scripts.conformance import measure
from scripts.conformance_suite import known_scenarios
from scripts.conformance_table import TABLE, faults, read_table
from scripts.setup_tools import find_node

from tests.journeys.mcp.conftest import Place


def test_every_scenario_that_applies_passes_in_both_eras(place: Place) -> None:
    node = find_node()
    scenarios = read_table(TABLE.read_text(encoding="utf-8"))
    found = measure(place.server, node)
    assert faults(scenarios, known_scenarios(node), found) == []
