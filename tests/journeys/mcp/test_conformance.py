"""The official conformance suite finds nothing wrong."""

from playwright.sync_api import Browser
from scripts.conformance import measure
from scripts.conformance_suite import known_scenarios
from scripts.conformance_table import TABLE, find_failures, read_table
from scripts.setup_tools import find_node

from tests.journeys.mcp.conftest import McpService


def test_every_scenario_that_applies_passes_in_all_protocol_versions(
    service: McpService, browser: Browser
) -> None:
    node = find_node()
    scenarios = read_table(TABLE.read_text(encoding="utf-8"))
    context = browser.new_context()
    found = measure(service, node, context.new_page())
    context.close()
    assert find_failures(scenarios, known_scenarios(node), found) == []
