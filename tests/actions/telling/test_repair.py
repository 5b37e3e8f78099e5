"""The sweep: no status stays behind for good, whatever became of its job."""

from datetime import timedelta

from procrastinate.contrib.django.models import ProcrastinateJob

from tests.actions.telling.hosted import COMMIT, Hosted
from visual_review.builds.host_models import HostMessage
from visual_review.builds.models import Build
from visual_review.jobs.repair_host_messages import (
    KEPT_FOR,
    LOST_AFTER,
    MISSED_FOR,
    forget_old,
    renew_outdated,
    repair_host_messages,
    resume_waiting,
    retry_failed,
    tell_missed,
)
from visual_review.kernel.clock import now
from visual_review.kernel.queue import enqueue


def grow_old() -> None:
    HostMessage.objects.update(changed_at=now() - 2 * LOST_AFTER)


def test_what_lost_its_job_is_told(here: Hosted) -> None:
    here.pull_request()
    here.world.publish({"a": "red"}, "feature", target="main", commit=COMMIT)
    here.lose_jobs()
    assert resume_waiting() == 0
    grow_old()
    assert resume_waiting() == 1
    assert resume_waiting() == 0
    here.run()
    assert here.statuses()["visual-review"] == "pending"
    assert len(here.comments()) == 1


def test_what_waits_for_its_pause_is_left_alone(here: Hosted) -> None:
    here.host.disturb("busy")
    here.world.publish({"a": "red"}, commit=COMMIT)
    here.run()
    here.lose_jobs()
    HostMessage.objects.update(next_try_at=now() + timedelta(minutes=5))
    grow_old()
    assert resume_waiting() == 0
    HostMessage.objects.update(next_try_at=now() - 2 * LOST_AFTER)
    here.host.calm()
    assert resume_waiting() == 1
    here.run()
    assert here.statuses()["visual-review"] == "pending"


def test_an_alarm_for_much_later_holds_no_other_message_up(here: Hosted) -> None:
    here.host.disturb("busy", times=1)
    here.world.publish({"a": "red"}, commit=COMMIT)
    here.run()
    # The stream's alarm was set by a message that waits much longer.
    ProcrastinateJob.objects.filter(task_name="tell_host_later")._raw_delete("default")  # noqa: SLF001 - The model is read-only.
    message = HostMessage.objects.get(context="visual-review")
    enqueue(
        "tell_host_later",
        delay_seconds=600,
        repository_id=message.repository_id,
        stream=message.stream,
    )
    HostMessage.objects.update(next_try_at=now() - 2 * LOST_AFTER)
    grow_old()
    assert resume_waiting() == 1


def test_builds_from_before_the_account_was_connected_are_told(here: Hosted) -> None:
    here.world.repository.host_account = None
    here.world.repository.save()
    here.approve(here.world.publish({"a": "red"}, commit=COMMIT))
    old = here.world.publish({"a": "red"}, commit="c" * 40)
    Build.objects.filter(pk=old.pk).update(created_at=now() - 2 * MISSED_FOR)
    here.world.publish({"a": "red"}, commit="d" * 40, fork="mallory/web")
    here.world.repository.host_account = here.account
    here.world.repository.save()
    assert tell_missed() == 1
    assert tell_missed() == 0
    here.run()
    assert here.statuses()["visual-review"] == "success"
    assert here.statuses("c" * 40) == {}


def test_a_status_that_stayed_behind_is_told_again(here: Hosted) -> None:
    build = here.world.publish({"a": "red"}, commit=COMMIT)
    here.run()
    assert renew_outdated() == 0
    # As if the change had been written by something that tells nobody.
    Build.objects.filter(pk=build.pk).update(review_state="approved", decided_at=now())
    assert renew_outdated() == 2
    here.run()
    assert here.statuses()["visual-review"] == "success"
    assert renew_outdated() == 0


def test_a_status_dropped_with_the_account_is_told_when_it_is_connected_again(here: Hosted) -> None:
    here.world.publish({"a": "red"}, commit=COMMIT)
    here.world.repository.host_account = None
    here.world.repository.save()
    here.run()
    assert renew_outdated() == 0
    here.world.repository.host_account = here.account
    here.world.repository.save()
    assert renew_outdated() == 2
    here.run()
    assert here.statuses()["visual-review"] == "pending"


def test_the_sweep_repairs_all_of_it(here: Hosted) -> None:
    here.world.publish({"a": "red"}, commit=COMMIT)
    here.lose_jobs()
    HostMessage.objects.all().delete()
    repair_host_messages(0)
    here.run()
    assert here.statuses()["visual-review"] == "pending"


def test_what_a_host_refused_is_tried_again_for_a_day_and_then_left_to_people(
    here: Hosted,
) -> None:
    here.host.disturb("missing", "set_status")
    here.world.publish({"a": "red"}, commit=COMMIT)
    here.run()
    assert retry_failed() == 0
    for _ in range(30):
        HostMessage.objects.update(next_try_at=now() - timedelta(seconds=1))
        retry_failed()
        here.run()
    assert len(here.host.calls("set_status")) == 2 * 24
    HostMessage.objects.update(attempts=1, next_try_at=now() - timedelta(seconds=1))
    here.host.calm()
    assert retry_failed() == 2
    here.run()
    assert here.statuses()["visual-review"] == "pending"
    assert not HostMessage.objects.exclude(state="sent").exists()


def test_old_rows_go_but_those_that_wait_or_find_a_comment_again(here: Hosted) -> None:
    here.pull_request()
    build = here.world.publish({"a": "red"}, "feature", target="main", commit=COMMIT)
    here.reject(build, "a")
    here.run()
    HostMessage.objects.update(changed_at=now() - 2 * KEPT_FOR)
    HostMessage.objects.filter(context="visual-review").update(state="waiting")
    assert forget_old() == 2
    left = HostMessage.objects.values_list("kind", "context")
    assert set(left) == {("status", "visual-review"), ("comment", "")}
