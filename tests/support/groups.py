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
    "tests/journeys/review": 159,
    "tests/journeys/server": 145,
    "tests/journeys/check": 130,
    "tests/journeys/publish": 86,
    "tests/journeys/browser": 72,
    "tests/journeys/capture": 65,
    "tests/api/test_schemathesis.py": 52,
    "tests/unit/imagediff/test_memory.py": 47,
    "tests/journeys/mcp": 41,
    "tests/journeys/upgrade": 31,
    "tests/actions/test_retention_jobs.py": 27,
    "tests/journeys/races": 21,
    "tests/api/mcp/test_parity.py": 18,
    "tests/journeys/crash": 17,
    "tests/journeys/watching": 16,
    "tests/journeys/hosts": 11,
    "tests/api/security/test_action_statuses.py": 10,
    "tests/journeys/test_baseline_properties.py": 10,
    "tests/unit/imagediff/changes/test_parts.py": 9,
    "tests/api/test_web_hostile.py": 9,
    "tests/api/mcp/test_authorization.py": 8,
    "tests/api/test_authorization.py": 8,
    "tests/journeys/deployment": 8,
    "tests/actions/test_undo_decision.py": 8,
    "tests/actions/test_repository_removal.py": 7,
    "tests/unit/imagediff/test_composites.py": 7,
    "tests/actions/test_pair_batches.py": 7,
    "tests/actions/test_scenes.py": 7,
    "tests/actions/test_review_rules.py": 7,
    "tests/api/security/test_ci_output.py": 7,
    "tests/api/mcp/test_many.py": 7,
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
