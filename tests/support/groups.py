"""Groups of tests that run in the same process, and the order in which they start.

A group shares its servers and browsers, so each starts once. The longest groups start first, so
that the processes end at about the same time.
"""

from pathlib import PurePosixPath

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

# Measured on two cores; unlisted groups take less.
SECONDS = {
    "tests/journeys/server": 180,
    "tests/journeys/mcp": 85,
    "tests/journeys/publish": 80,
    "tests/journeys/capture": 75,
    "tests/api/test_schemathesis.py": 56,
    "tests/journeys/browser": 52,
    "tests/journeys/hosts": 44,
    "tests/journeys/crash": 35,
    "tests/journeys/races": 31,
    "tests/journeys/upgrade": 30,
    "tests/api/mcp/test_parity.py": 18,
    "tests/actions/test_review_rules.py": 13,
    "tests/api/security/test_capture_browser.py": 11,
    "tests/journeys/test_baseline_properties.py": 11,
    "tests/actions/test_retention.py": 10,
    "tests/actions/test_base_branch_change.py": 10,
    "tests/api/security/test_ci_output.py": 9,
    "tests/actions/test_processing_recordings.py": 9,
    "tests/actions/pull_requests/test_events.py": 9,
    "tests/actions/test_images_for_reading.py": 9,
    "tests/unit/imagediff/test_composites.py": 9,
    "tests/api/mcp/test_pictures.py": 9,
    "tests/api/oauth/test_security_documents.py": 8,
    "tests/journeys/s3": 8,
    "tests/actions/pull_requests/test_merging.py": 8,
    "tests/api/security/test_slow_clients.py": 8,
    "tests/api/security/test_capture_network.py": 7,
    "tests/actions/notifying/test_faults.py": 7,
    "tests/api/mcp/test_many.py": 7,
    "tests/api/mcp/test_authorization.py": 7,
    "tests/unit/imagediff/test_hostile_images.py": 6,
    "tests/actions/test_repository_removal.py": 6,
    "tests/actions/notifying/test_races.py": 5,
    "tests/api/oauth/test_security_redirects.py": 5,
    "tests/architecture/test_words.py": 5,
    "tests/actions/pull_requests/test_races.py": 5,
    "tests/api/oauth/test_documents.py": 5,
}
JOURNEYS = ("tests", "journeys")


def group_of(nodeid: str) -> str:
    """Return the group of a test: its package of journeys, or its file."""
    path = PurePosixPath(nodeid.partition("::")[0])
    if path.parts[:2] == JOURNEYS and len(path.parts) > len(JOURNEYS) + 1:
        return "/".join(path.parts[: len(JOURNEYS) + 1])
    return str(path)


def sort_by_group(items: list[pytest.Item]) -> None:
    """Put the tests of a group together, and the slowest groups first."""
    groups: dict[str, list[pytest.Item]] = {}
    for item in items:
        groups.setdefault(group_of(item.nodeid), []).append(item)
    longest_first = sorted(groups, key=lambda group: -SECONDS.get(group, 0))
    items[:] = [item for group in longest_first for item in groups[group]]


class GroupScheduling(LoadScopeScheduling):
    """Give each process whole groups, in the order of the tests.

    xdist's own loadgroup renames the tests. Pytest ignores the new names since 9.2, and xdist then
    distributes single tests without a word.
    """

    def __init__(self, config: pytest.Config, log: Producer) -> None:
        config.option.loadscopereorder = False
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)
