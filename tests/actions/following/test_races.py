"""News, approvals, jobs and deliveries at the same moment, on a real PostgreSQL."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from tests.actions.following.steps import Followed
from tests.journeys.threads import Racers, racers
from tests.personas import Personas
from visual_review.builds.completing import complete
from visual_review.builds.following import note_told
from visual_review.builds.following_rules import News
from visual_review.builds.host_models import PullRequest
from visual_review.builds.measuring import measure
from visual_review.builds.models import Baseline, BaselineMove, Build, ReviewEntry
from visual_review.builds.retargeting import retarget_builds
from visual_review.kernel.errors import ConflictError

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 15
START = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def followed(personas: Personas) -> Followed:
    return Followed(personas.bob)


@pytest.fixture
def four() -> Iterator[Racers]:
    with racers(4) as pool:
        yield pool


def told(followed: Followed, base: str, minute: int) -> None:
    news = News(number=1, base_branch=base, updated_at=START + timedelta(minutes=minute))
    retarget_builds(note_told(followed.repository, news).pull_request)


def approved(followed: Followed, build: Build) -> bool:
    try:
        followed.approve(build)
    except ConflictError:
        return False
    return True


def processed(build: Build) -> None:
    """What a worker does, whether anything is left to do or not."""
    row = Build.objects.select_related("repository", "product").get(pk=build.pk)
    complete(row.id, measure(row))


def work(*steps: Callable[[], object]) -> Callable[[], list[object]]:
    return lambda: [step() for step in steps]


def test_an_approval_against_a_new_target_decides_what_it_saw_or_nothing(
    followed: Followed, four: Racers
) -> None:
    for number in range(ROUNDS):
        branch = f"round-{number}"
        shots = {"a": "blue", "same": "white"}
        PullRequest.objects.all().delete()
        # Or the decision of an earlier round would be carried over.
        ReviewEntry.objects.all().delete()
        build = followed.world.publish(shots, branch, target="main")
        targets = Baseline.objects.filter(branch__in=("main", "release"))
        before = set(targets.values_list("branch", "last_move"))
        results = four.race(
            work(partial(approved, followed, build)),
            work(partial(told, followed, "release", number)),
            work(partial(processed, build)),
            work(partial(told, followed, "release", number), partial(processed, build)),
        )
        processed(build)
        row = followed.world.fresh(build)
        # Neither target's baseline moves, whoever comes first.
        assert set(targets.values_list("branch", "last_move")) == before
        assert (row.status, row.base_branch) == ("completed", "release")
        assert row.baseline == Baseline.objects.get(branch="release")
        moves = BaselineMove.objects.filter(build=build).count()
        assert moves == int(results[0] == [True])
        seen = ReviewEntry.objects.filter(build=build, story_id="a", source="user").first()
        if seen is not None and seen.baseline == row.baseline:
            # Approved after it was compared again.
            assert row.review_state == "approved"
        else:
            assert row.review_state == "unreviewed"


def test_two_targets_told_at_once_end_with_the_newer_one(followed: Followed, four: Racers) -> None:
    build = followed.publish({"a": "blue", "same": "white"})
    for number in range(ROUNDS):
        newest = ("main", "release")[number % 2]
        other = ("release", "main")[number % 2]
        four.race(
            work(partial(told, followed, other, 2 * number)),
            work(partial(told, followed, newest, 2 * number + 1)),
            work(partial(processed, build)),
            work(partial(processed, build)),
        )
        processed(build)
        row = followed.world.fresh(build)
        assert (row.status, row.base_branch) == ("completed", newest)
        assert row.baseline == Baseline.objects.get(branch=newest)
        shot = followed.world.shot(build, "a")
        shown = {"main": "red", "release": "green"}[newest]
        assert followed.world._color(shot.baseline_image_id or 0) == shown  # noqa: SLF001 - The world's own names of pictures.


def test_an_approval_against_the_news_of_the_merge_always_reaches_the_target(
    followed: Followed, four: Racers
) -> None:
    for number in range(ROUNDS):
        shots = {"a": "red", "same": "white", f"story-{number}": "blue"}
        PullRequest.objects.all().delete()
        build = followed.world.publish(shots, f"round-{number}", target="main")
        target = followed.world.publish(shots, "main", commit="2" * 40)
        merged = News(
            number=1,
            state="merged",
            base_branch="main",
            merge_commit="2" * 40,
            updated_at=START + timedelta(minutes=number),
        )
        four.race(
            work(partial(approved, followed, build)),
            work(partial(note_told, followed.repository, merged)),
        )
        followed.run()
        row = followed.world.fresh(target)
        assert (row.review_state, row.decision_source) == ("approved", "carried_over")
