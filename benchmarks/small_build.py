"""Measures one team's small build next to another team's large builds."""

import time
from collections.abc import Callable, Iterator

from benchmarks.teams import Team, wait_for

STORIES = 50
# The other team's work is in progress when the small build is published.
HEAD_START_SECONDS = 3.0
LONGEST_SECONDS = 120.0


def measure(screenshots: int) -> list[tuple[str, float]]:
    """Return the seconds that a build of 50 took, alone first."""
    small = Team("small", STORIES)
    rows = [("alone", publish_changes(small))]
    for name, start in kinds_of_load(screenshots):
        start()
        time.sleep(HEAD_START_SECONDS)
        rows.append((name, publish_changes(small)))
        print(*rows[-1], flush=True)
    return rows


def kinds_of_load(screenshots: int) -> Iterator[tuple[str, Callable[[], object]]]:
    large = Team("large", screenshots)
    builds = [large.upload_changes(f"branch-{number}") for number in range(2)]
    yield "next to two large builds", lambda: [large.publish(build) for build in builds]
    other = Team("other", screenshots)
    third = other.upload_changes()
    yield "next to three large builds of two organizations", lambda: other.publish(third)


def publish_changes(team: Team) -> float:
    return wait_for(team.publish(team.upload_changes()), LONGEST_SECONDS)
