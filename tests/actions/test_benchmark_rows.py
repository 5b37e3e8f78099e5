"""The rows of benchmarks: the service reads and decides them like its own."""

from collections import Counter

import pytest
from benchmarks.seeding import SHARES, Seeded, seed

from tests.support.action_calls import act
from tests.support.personas import Personas
from visual_review.builds.models import Build

BUILDS, SCREENSHOTS = 400, 200


@pytest.fixture
def seeded(personas: Personas) -> Seeded:
    return seed(personas.alice.organization, BUILDS, SCREENSHOTS)


def test_most_builds_are_in_the_listed_repository(personas: Personas, seeded: Seeded) -> None:
    found = act(personas.alice, "list_builds", repoId=seeded.repository_id, limit=1000).builds
    assert Build.objects.count() == BUILDS
    # One in 40 expired, which lists leave out.
    assert len(found) == BUILDS * SHARES["acme/web"] * 39 / 40
    assert found[0].id == seeded.build_id
    assert len({build.id for build in found}) == len(found)


def test_in_the_large_build_one_in_twenty_differs(personas: Personas, seeded: Seeded) -> None:
    build = act(personas.alice, "get_build", buildId=seeded.build_id).build
    states = Counter(shot.diff_state for shot in build.screenshots)
    assert states == {"unchanged": 190, "changed": 6, "new": 2, "removed": 1, "failed": 1}
    assert build.counts.model_dump() == states
    images = {
        shot.diff_state: [shot.before_url, shot.after_url, shot.diff_url]
        for shot in build.screenshots
    }
    assert all(images["changed"])
    assert [link is not None for link in images["removed"]] == [True, False, False]


def test_its_changed_screenshots_can_be_decided(personas: Personas, seeded: Seeded) -> None:
    assert len(seeded.screenshot_ids) == 6
    for shot in seeded.screenshot_ids:
        done = act(personas.bob, "review_screenshot", screenshotId=shot, state="rejected")
        assert done.build_id == seeded.build_id
        assert done.review_state == "unreviewed"


def test_all_of_the_decided_build_was_decided_twice(personas: Personas, seeded: Seeded) -> None:
    shots = act(personas.alice, "get_build", buildId=seeded.decided_id).build.screenshots
    found = Counter((shot.review_decision, shot.earlier_decisions) for shot in shots)
    assert found == {("approved", 1): SCREENSHOTS}
