"""Workers, reviewers and products at the same moment: nothing doubled or lost, no deadlock."""

from functools import partial
from threading import Barrier

import pytest

from tests.support.depth import rounds
from tests.support.hosted_world import HostedWorld
from tests.support.threads import WAIT_SECONDS, Racers
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import any_action
from visual_review.builds.models import HostMessage
from visual_review.jobs.hosts.deliver_notifications import deliver_notifications
from visual_review.kernel.locks import take_lease

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.search]


def test_workers_at_the_same_stream_post_one_comment(
    empty_world: HostedWorld, four_threads: Racers
) -> None:
    empty_world.open_pull_request()
    build = empty_world.publish_change({"a": "red"})
    empty_world.reject(build, "a")
    work = partial(deliver_notifications, repository_id=empty_world.repository.id, stream="pr:1")
    for _ in range(5):
        four_threads.race(*[work] * 4)
    empty_world.notify_later()
    assert len(empty_world.comments()) == 2
    assert len(empty_world.host.calls("add_comment")) == 2
    assert not HostMessage.objects.exclude(state="sent").exists()


def test_a_lease_is_held_by_one_caller_at_a_time(four_threads: Racers) -> None:
    held = []
    all_threads = Barrier(4)

    def take() -> None:
        with take_lease("tests", 60) as lease:
            held.append(lease is not None)
            all_threads.wait(WAIT_SECONDS)

    four_threads.race(*[take] * 4)
    assert sorted(held) == [False, False, False, True]
    with take_lease("tests", 60) as lease:
        assert lease is not None


def test_a_lease_that_ended_is_neither_renewed_nor_released_by_its_former_holder() -> None:
    # As of a process that stood still for longer than its lease.
    with take_lease("tests", 0) as former:
        assert former is not None
        with take_lease("tests", 60) as lease:
            assert lease is not None
            assert not former.renew()
            former.release()
            assert lease.renew()


def test_reviewers_of_all_products_of_a_commit_at_once_end_in_success(
    empty_world: HostedWorld, four_threads: Racers
) -> None:
    empty_world.open_pull_request()
    products = ("web", "shop", "docs", "mail")
    for number in range(rounds(2, 8)):
        commit = f"{number:040x}"
        builds = [
            empty_world.publish_change({"a": "red"}, commit=commit, product_key=product)
            for product in products
        ]
        persona = empty_world.persona
        four_threads.race(
            *(
                partial(
                    dispatch, any_action("approve_build"), persona.caller, {"buildId": build.id}
                )
                for build in builds
            )
        )
        empty_world.notify()
        states = empty_world.statuses(commit)
        assert len(states) == 5
        assert set(states.values()) == {"success"}
    assert len(empty_world.comments()) == 1


def test_settings_and_decisions_at_once_never_deadlock(
    empty_world: HostedWorld, four_threads: Racers
) -> None:
    empty_world.open_pull_request()
    persona = empty_world.persona
    for number in range(rounds(2, 12)):
        builds = [
            empty_world.publish(
                {"a": "red"},
                "feature",
                target="main",
                commit=f"{number}{place}" * 20,
                product_key=product,
            )
            for place, product in enumerate(("web", "shop", "docs"))
        ]
        settings = {
            "repoId": empty_world.repository.id,
            "postsComments": True,
            "commentPictures": bool(number % 2),
            "allowsSkip": False,
            "reviewDueStatus": "failure" if number % 2 else "pending",
        }
        calls = [("set_repo_host", settings)]
        calls += [("reject_build", {"buildId": build.id}) for build in builds]
        four_threads.race(
            *(partial(dispatch, any_action(name), persona.caller, values) for name, values in calls)
        )
        empty_world.notify()
    assert not HostMessage.objects.exclude(state="sent").exists()
