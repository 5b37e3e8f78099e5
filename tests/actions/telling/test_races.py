"""Two workers, reviewers and products at the same moment: nothing doubled, nothing lost, no deadlock."""

from collections.abc import Iterator
from functools import partial
from threading import Barrier

import pytest
from pytest_django.fixtures import Settings

from tests.actions.telling.hosted import ADDRESS, COMMIT, Hosted, hosted
from tests.journeys.threads import WAIT_SECONDS, Racers, racers
from tests.personas import Personas
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import any_action
from visual_review.builds.host_models import HostMessage
from visual_review.jobs.tell_host import tell_host
from visual_review.kernel.turns import turn

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def here(personas: Personas, settings: Settings) -> Hosted:
    settings.SOURCE_HOSTS = (ADDRESS,)
    return hosted(personas.alice)


@pytest.fixture
def four() -> Iterator[Racers]:
    with racers(4) as pool:
        yield pool


def test_workers_at_the_same_stream_post_one_comment(here: Hosted, four: Racers) -> None:
    here.pull_request()
    build = here.world.publish({"a": "red"}, "feature", target="main", commit=COMMIT)
    here.reject(build, "a")
    work = partial(tell_host, repository_id=here.world.repository.id, stream="pr:1")
    for _ in range(5):
        four.race(*[work] * 4)
    here.pass_time()
    assert len(here.comments()) == 2
    assert len(here.host.calls("add_comment")) == 2
    assert not HostMessage.objects.exclude(state="sent").exists()


def test_a_turn_is_one_callers_at_a_time(four: Racers) -> None:
    held = []
    everybody = Barrier(4)

    def take() -> None:
        with turn("tests") as mine:
            held.append(mine)
            everybody.wait(WAIT_SECONDS)

    four.race(*[take] * 4)
    assert sorted(held) == [False, False, False, True]
    with turn("tests") as mine:
        assert mine


def test_reviewers_of_all_products_of_a_commit_at_once_end_in_success(
    here: Hosted, four: Racers
) -> None:
    here.pull_request()
    products = ("web", "shop", "docs", "mail")
    for number in range(4):
        commit = f"{number:040x}"
        builds = [
            here.world.publish(
                {"a": "red"}, "feature", target="main", commit=commit, product_key=product
            )
            for product in products
        ]
        persona = here.world.persona
        four.race(
            *(
                partial(
                    dispatch, any_action("approve_build"), persona.caller, {"buildId": build.id}
                )
                for build in builds
            )
        )
        here.run()
        states = here.statuses(commit)
        assert len(states) == 5
        assert set(states.values()) == {"success"}
    assert len(here.comments()) == 1


def test_settings_and_decisions_at_once_never_wait_in_a_circle(here: Hosted, four: Racers) -> None:
    here.pull_request()
    persona, repository = here.world.persona, here.world.repository
    for number in range(6):
        builds = [
            here.world.publish(
                {"a": "red"},
                "feature",
                target="main",
                commit=f"{number}{place}" * 20,
                product_key=product,
            )
            for place, product in enumerate(("web", "shop", "docs"))
        ]
        settings = {
            "repoId": repository.id,
            "postsComments": True,
            "commentPictures": bool(number % 2),
            "reviewDueStatus": "failure" if number % 2 else "pending",
        }
        calls = [("set_repo_host", settings)]
        calls += [("reject_build", {"buildId": build.id}) for build in builds]
        four.race(
            *(partial(dispatch, any_action(name), persona.caller, values) for name, values in calls)
        )
        here.run()
    assert not HostMessage.objects.exclude(state="sent").exists()
