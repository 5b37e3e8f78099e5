"""One team's small build, and a user's pages, next to other teams' videos and large builds."""

import time

import httpx

from benchmarks.availability.honest import browsing
from benchmarks.availability.results import HEAD, Outcome
from benchmarks.small_build import HEAD_START_SECONDS, STORIES, kinds_of_load, publish_changes
from benchmarks.teams import Team

# Pages are opened for at least this long.
BROWSING_SECONDS = 10.0


def measure_worker(browser: httpx.Client, pages: list[str], screenshots: int) -> list[Outcome]:
    """Return an outcome for each kind of work; other teams publish ``screenshots`` at a time."""
    small = Team("small", STORIES)
    usual = publish_changes(small)
    outcomes = []
    for name, start in kinds_of_load(screenshots):
        start()
        time.sleep(HEAD_START_SECONDS)
        with browsing(browser, pages) as visit:
            seconds = publish_changes(small)
            time.sleep(max(0.0, BROWSING_SECONDS - seconds))
        outcome = Outcome(name, visit.seconds, visit.failures, seconds, "", usual)
        print(HEAD, outcome, sep="\n", flush=True)
        outcomes.append(outcome)
    return outcomes
