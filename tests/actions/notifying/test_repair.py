"""The repair job: no status stays outdated for good, even if its job was lost."""

from datetime import timedelta

import pytest
from procrastinate.contrib.django.models import ProcrastinateJob

from tests.support.hosted_world import COMMIT, HostedWorld, world_with_build
from tests.support.personas import Personas
from visual_review.builds.models import Build, HostMessage
from visual_review.jobs.hosts.repair_outbox import (
    KEEP_FOR,
    LOST_AFTER,
    MISSED_WITHIN,
    delete_old_messages,
    enqueue_missed_notifications,
    renew_outdated_statuses,
    repair_host_messages,
    resume_waiting_streams,
    retry_failed_messages,
)
from visual_review.kernel.clock import now
from visual_review.kernel.queue import enqueue


@pytest.fixture
def world(personas: Personas) -> HostedWorld:
    """The host knows nothing yet of the build in review; the build has no pull request."""
    return world_with_build(personas.alice, {"a": "red"}, pull_request=False)


def age_messages() -> None:
    HostMessage.objects.update(changed_at=now() - 2 * LOST_AFTER)


def test_a_message_that_lost_its_job_is_sent(empty_world: HostedWorld) -> None:
    empty_world.open_pull_request()
    empty_world.publish_change({"a": "red"})
    empty_world.lose_notifications()
    assert resume_waiting_streams() == 0
    age_messages()
    assert resume_waiting_streams() == 1
    assert resume_waiting_streams() == 0
    empty_world.notify()
    assert empty_world.statuses()["visual-review"] == "pending"
    assert len(empty_world.comments()) == 1


def test_a_message_in_its_pause_is_left_alone(world: HostedWorld) -> None:
    world.host.add_fault("busy")
    world.notify()
    world.lose_notifications()
    HostMessage.objects.update(next_try_at=now() + timedelta(minutes=5))
    age_messages()
    assert resume_waiting_streams() == 0
    HostMessage.objects.update(next_try_at=now() - 2 * LOST_AFTER)
    world.host.clear_faults()
    assert resume_waiting_streams() == 1
    world.notify()
    assert world.statuses()["visual-review"] == "pending"


def test_a_job_scheduled_for_much_later_delays_no_other_message(world: HostedWorld) -> None:
    world.host.add_fault("busy", times=1)
    world.notify()
    # The stream's next job was scheduled by a message with a much longer wait.
    ProcrastinateJob.objects.filter(task_name="tell_host_later")._raw_delete("default")  # noqa: SLF001 - The model is read-only.
    message = HostMessage.objects.get(context="visual-review")
    enqueue(
        "tell_host_later",
        delay_seconds=600,
        repository_id=message.repository_id,
        stream=message.stream,
    )
    HostMessage.objects.update(next_try_at=now() - 2 * LOST_AFTER)
    age_messages()
    assert resume_waiting_streams() == 1


def test_builds_from_before_the_account_was_connected_get_statuses(
    empty_world: HostedWorld,
) -> None:
    empty_world.repository.host_account = None
    empty_world.repository.save()
    empty_world.approve(empty_world.publish({"a": "red"}, commit=COMMIT))
    old = empty_world.publish({"a": "red"}, commit="c" * 40)
    Build.objects.filter(pk=old.pk).update(created_at=now() - 2 * MISSED_WITHIN)
    empty_world.publish({"a": "red"}, commit="d" * 40, fork="mallory/web")
    empty_world.repository.host_account = empty_world.account
    empty_world.repository.save()
    assert enqueue_missed_notifications() == 1
    assert enqueue_missed_notifications() == 0
    empty_world.notify()
    assert empty_world.statuses()["visual-review"] == "success"
    assert empty_world.statuses("c" * 40) == {}


def test_an_outdated_status_is_sent_again(world: HostedWorld) -> None:
    world.notify()
    assert renew_outdated_statuses() == 0
    # As if the change had been written without a notification.
    Build.objects.filter(pk=world.build.pk).update(review_state="approved", decided_at=now())
    assert renew_outdated_statuses() == 2
    world.notify()
    assert world.statuses()["visual-review"] == "success"
    assert renew_outdated_statuses() == 0


def test_a_status_dropped_with_the_account_is_sent_when_it_is_connected_again(
    world: HostedWorld,
) -> None:
    world.repository.host_account = None
    world.repository.save()
    world.notify()
    assert renew_outdated_statuses() == 0
    world.repository.host_account = world.account
    world.repository.save()
    assert renew_outdated_statuses() == 2
    world.notify()
    assert world.statuses()["visual-review"] == "pending"


def test_the_job_repairs_all_of_it(world: HostedWorld) -> None:
    world.lose_notifications()
    HostMessage.objects.all().delete()
    repair_host_messages(0)
    world.notify()
    assert world.statuses()["visual-review"] == "pending"


def test_what_a_host_refused_is_tried_again_for_a_day_and_then_left_to_people(
    world: HostedWorld,
) -> None:
    world.host.add_fault("missing", "set_status")
    world.notify()
    assert retry_failed_messages() == 0
    for _ in range(26):
        HostMessage.objects.update(next_try_at=now() - timedelta(seconds=1))
        retry_failed_messages()
        world.notify()
    assert len(world.host.calls("set_status")) == 2 * 24
    HostMessage.objects.update(attempts=1, next_try_at=now() - timedelta(seconds=1))
    world.host.clear_faults()
    assert retry_failed_messages() == 2
    world.notify()
    assert world.statuses()["visual-review"] == "pending"
    assert not HostMessage.objects.exclude(state="sent").exists()


def test_old_rows_are_deleted_but_those_that_wait_or_identify_a_comment(
    empty_world: HostedWorld,
) -> None:
    empty_world.open_pull_request()
    build = empty_world.publish_change({"a": "red"})
    empty_world.reject(build, "a")
    empty_world.notify()
    HostMessage.objects.update(changed_at=now() - 2 * KEEP_FOR)
    HostMessage.objects.filter(context="visual-review").update(state="waiting")
    assert delete_old_messages() == 2
    left = HostMessage.objects.values_list("kind", "context")
    assert set(left) == {("status", "visual-review"), ("comment", "")}
