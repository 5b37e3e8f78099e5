"""The rows locked by a decision: which, in what order, and read only under the lock."""

from collections.abc import Callable
from threading import Event

import pytest
from django.db import DatabaseError, transaction

from tests.support.personas import Personas
from tests.support.statements import counted_statements
from tests.support.threads import WAIT_SECONDS, Racers, wait_until_another_waits_for_me
from tests.support.worlds import BuildInReview, build_with_a_change
from visual_review.builds.locks import lock_build, lock_build_of
from visual_review.builds.models import Baseline, Build, Screenshot
from visual_review.kernel.errors import NotFoundError

pytestmark = pytest.mark.django_db(transaction=True)
# Returns the freshly read build, with its baseline.
Lock = Callable[[Screenshot], Build]


def lock_for_a_job(shot: Screenshot) -> Build:
    return lock_build(shot.build_id)[1]


def lock_for_a_caller(shot: Screenshot) -> Build:
    return lock_build_of(shot.build.repository.organization_id, shot.build_id)[1]


LOCKS = (lock_for_a_job, lock_for_a_caller)


@pytest.fixture
def in_review(personas: Personas) -> BuildInReview:
    return build_with_a_change(personas.bob)


def is_locked_by_another(row: Baseline | Build) -> bool:
    rows = type(row)._default_manager.filter(pk=row.pk)  # noqa: SLF001 - Django documents it.
    try:
        with transaction.atomic():
            list(rows.select_for_update(nowait=True, no_key=True))
    except DatabaseError:
        return True
    return False


@pytest.mark.parametrize("lock", LOCKS)
def test_the_baseline_is_locked_first_and_rows_are_read_when_they_are(
    lock: Lock, in_review: BuildInReview, two_threads: Racers
) -> None:
    world, build = in_review
    shot, baseline = world.shot(build, "a"), build.own_baseline
    baseline_held, build_held = Event(), Event()

    def change_while_another_waits() -> tuple[bool, bool]:
        with transaction.atomic():
            Baseline.objects.select_for_update(no_key=True).get(pk=baseline.pk)
            baseline_held.set()
            wait_until_another_waits_for_me()
            waits_for_baseline = not is_locked_by_another(build)
            Baseline.objects.filter(pk=baseline.pk).update(last_version=7)
            Build.objects.filter(pk=build.pk).update(failure="changed meanwhile")
        with transaction.atomic():
            Build.objects.select_for_update(no_key=True).get(pk=build.pk)
            build_held.set()
            wait_until_another_waits_for_me()
            return waits_for_baseline, is_locked_by_another(baseline)

    def lock_twice() -> tuple[int, str]:
        found = []
        for held in (baseline_held, build_held):
            assert held.wait(WAIT_SECONDS)
            with transaction.atomic():
                found.append(lock(shot))
        return found[0].own_baseline.last_version, found[0].failure

    observed, read = two_threads.race(change_while_another_waits, lock_twice)
    assert observed == (True, True)
    assert read == (7, "changed meanwhile")


@pytest.mark.parametrize("lock", LOCKS)
def test_the_row_of_a_branch_without_a_baseline_is_created(
    lock: Lock, in_review: BuildInReview
) -> None:
    world, build = in_review
    shot = world.shot(build, "a")
    assert shot.build.repository
    Build.objects.filter(pk=build.pk).update(branch="other")
    with transaction.atomic():
        found = lock(shot)
    assert (found.own_baseline.branch, found.own_baseline.last_version) == ("other", 0)
    with transaction.atomic(), counted_statements() as statements:
        lock(shot)
    assert len(statements) == 1


@pytest.mark.parametrize("lock", LOCKS)
def test_what_was_deleted_is_not_found(lock: Lock, in_review: BuildInReview) -> None:
    world, build = in_review
    shot = world.shot(build, "a")
    assert shot.build.repository
    Screenshot.objects.filter(build=build).delete()
    Build.objects.filter(pk=build.pk).delete()
    baselines = Baseline.objects.count()
    with transaction.atomic(), pytest.raises(NotFoundError):
        lock(shot)
    assert Baseline.objects.count() == baselines
