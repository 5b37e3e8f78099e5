"""The repair job: no status stays outdated for good, whatever became of its job."""

from datetime import timedelta

import pytest
from procrastinate.contrib.django.models import ProcrastinateJob

from tests.support.hosts.connected_repository import (
    COMMIT,
    ConnectedRepository,
    repository_with_build,
)
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
def repository(personas: Personas) -> ConnectedRepository:
    """The host knows nothing yet of the build in review, which is of no pull request."""
    return repository_with_build(personas.alice, {"a": "red"}, pull_request=False)


def age_messages() -> None:
    HostMessage.objects.update(changed_at=now() - 2 * LOST_AFTER)


def test_a_message_that_lost_its_job_is_sent(empty_repository: ConnectedRepository) -> None:
    empty_repository.open_pull_request()
    empty_repository.world.publish({"a": "red"}, "feature", target="main", commit=COMMIT)
    empty_repository.lose_jobs()
    assert resume_waiting_streams() == 0
    age_messages()
    assert resume_waiting_streams() == 1
    assert resume_waiting_streams() == 0
    empty_repository.run_jobs()
    assert empty_repository.statuses()["visual-review"] == "pending"
    assert len(empty_repository.comments()) == 1


def test_a_message_in_its_pause_is_left_alone(repository: ConnectedRepository) -> None:
    repository.host.add_fault("busy")
    repository.run_jobs()
    repository.lose_jobs()
    HostMessage.objects.update(next_try_at=now() + timedelta(minutes=5))
    age_messages()
    assert resume_waiting_streams() == 0
    HostMessage.objects.update(next_try_at=now() - 2 * LOST_AFTER)
    repository.host.clear_faults()
    assert resume_waiting_streams() == 1
    repository.run_jobs()
    assert repository.statuses()["visual-review"] == "pending"


def test_a_job_scheduled_for_much_later_delays_no_other_message(
    repository: ConnectedRepository,
) -> None:
    repository.host.add_fault("busy", times=1)
    repository.run_jobs()
    # The stream's next job was scheduled by a message that waits much longer.
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
    empty_repository: ConnectedRepository,
) -> None:
    empty_repository.row.host_account = None
    empty_repository.row.save()
    empty_repository.approve(empty_repository.world.publish({"a": "red"}, commit=COMMIT))
    old = empty_repository.world.publish({"a": "red"}, commit="c" * 40)
    Build.objects.filter(pk=old.pk).update(created_at=now() - 2 * MISSED_WITHIN)
    empty_repository.world.publish({"a": "red"}, commit="d" * 40, fork="mallory/web")
    empty_repository.row.host_account = empty_repository.account
    empty_repository.row.save()
    assert enqueue_missed_notifications() == 1
    assert enqueue_missed_notifications() == 0
    empty_repository.run_jobs()
    assert empty_repository.statuses()["visual-review"] == "success"
    assert empty_repository.statuses("c" * 40) == {}


def test_an_outdated_status_is_sent_again(repository: ConnectedRepository) -> None:
    repository.run_jobs()
    assert renew_outdated_statuses() == 0
    # As if the change had been written without a notification.
    Build.objects.filter(pk=repository.build.pk).update(review_state="approved", decided_at=now())
    assert renew_outdated_statuses() == 2
    repository.run_jobs()
    assert repository.statuses()["visual-review"] == "success"
    assert renew_outdated_statuses() == 0


def test_a_status_dropped_with_the_account_is_sent_when_it_is_connected_again(
    repository: ConnectedRepository,
) -> None:
    repository.row.host_account = None
    repository.row.save()
    repository.run_jobs()
    assert renew_outdated_statuses() == 0
    repository.row.host_account = repository.account
    repository.row.save()
    assert renew_outdated_statuses() == 2
    repository.run_jobs()
    assert repository.statuses()["visual-review"] == "pending"


def test_the_job_repairs_all_of_it(repository: ConnectedRepository) -> None:
    repository.lose_jobs()
    HostMessage.objects.all().delete()
    repair_host_messages(0)
    repository.run_jobs()
    assert repository.statuses()["visual-review"] == "pending"


def test_what_a_host_refused_is_tried_again_for_a_day_and_then_left_to_people(
    repository: ConnectedRepository,
) -> None:
    repository.host.add_fault("missing", "set_status")
    repository.run_jobs()
    assert retry_failed_messages() == 0
    for _ in range(26):
        HostMessage.objects.update(next_try_at=now() - timedelta(seconds=1))
        retry_failed_messages()
        repository.run_jobs()
    assert len(repository.host.calls("set_status")) == 2 * 24
    HostMessage.objects.update(attempts=1, next_try_at=now() - timedelta(seconds=1))
    repository.host.clear_faults()
    assert retry_failed_messages() == 2
    repository.run_jobs()
    assert repository.statuses()["visual-review"] == "pending"
    assert not HostMessage.objects.exclude(state="sent").exists()


def test_old_rows_are_deleted_but_those_that_wait_or_identify_a_comment(
    empty_repository: ConnectedRepository,
) -> None:
    empty_repository.open_pull_request()
    build = empty_repository.world.publish({"a": "red"}, "feature", target="main", commit=COMMIT)
    empty_repository.reject(build, "a")
    empty_repository.run_jobs()
    HostMessage.objects.update(changed_at=now() - 2 * KEEP_FOR)
    HostMessage.objects.filter(context="visual-review").update(state="waiting")
    assert delete_old_messages() == 2
    left = HostMessage.objects.values_list("kind", "context")
    assert set(left) == {("status", "visual-review"), ("comment", "")}
