"""The nightly sweep: what goes, what stays, and that a kill anywhere loses and doubles nothing."""

import itertools
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from procrastinate.contrib.django.models import ProcrastinateJob

from tests.actions.calls import act
from tests.personas import Personas
from tests.worlds import World, png, sha256
from visual_review.audit.models import AuditEntry
from visual_review.builds.following import note_told
from visual_review.builds.following_rules import News
from visual_review.builds.host_models import PullRequest
from visual_review.builds.models import Build, Comparison, Image, ReviewEntry, Screenshot
from visual_review.builds.retargeting import retarget_builds
from visual_review.config.retention_commands import planned
from visual_review.jobs.delete_recording import delete_recording
from visual_review.jobs.sweep_retention import Swept, sweep
from visual_review.kernel.blobs import blob_store
from visual_review.kernel.clock import now
from visual_review.kernel.errors import NotFoundError
from visual_review.recordings.models import Recording
from visual_review.recordings.places import stored_folder
from visual_review.repositories.models import Product, Repository, Retention


class KilledError(Exception):
    """Stands for a kill between two statements."""


@pytest.fixture
def world(personas: Personas) -> World:
    Retention.objects.create(
        organization=personas.alice.organization, builds_days=30, recordings_days=30
    )
    return World(personas.alice)


def aged(build: Build, days: int) -> Build:
    """The build as if it had been made and decided that long ago."""
    by = timedelta(days=days)
    Build.objects.filter(pk=build.pk).update(created_at=now() - by)
    for entry in ReviewEntry.objects.filter(build=build):
        ReviewEntry.objects.filter(pk=entry.pk).update(decided_at=entry.decided_at - by)
    for move in build.moves.all():
        build.moves.filter(pk=move.pk).update(moved_at=move.moved_at - by)
    Image.objects.update(created_at=now() - timedelta(days=400))
    Comparison.objects.update(created_at=now() - timedelta(days=400))
    return build


def run() -> Swept:
    swept = sweep(now(), blob_store())
    for job in ProcrastinateJob.objects.filter(task_name="delete_recording"):
        delete_recording(**job.args)
    return swept


def numbers() -> list[int]:
    return list(Build.objects.order_by("number").values_list("number", flat=True))


def colors() -> set[str]:
    known = ("red", "green", "blue", "yellow", "white", "black", "orange")
    stored = set(Image.objects.values_list("sha256", flat=True))
    found = {color for color in known if sha256(png(color)) in stored}
    assert len(found) == len(stored)
    return found


def approved(world: World, shots: dict[str, str], days: int, **order: Any) -> Build:  # noqa: ANN401 - The order's own fields.
    build = world.publish(shots, **order)
    world.act("approve_build", buildId=build.id)
    return aged(build, days)


def test_builds_past_their_time_go_with_what_only_they_named(world: World) -> None:
    approved(world, {"a": "red"}, 90)
    aged(world.publish({"a": "green"}), 80)
    approved(world, {"a": "blue"}, 70)
    aged(world.publish({"a": "blue"}), 60)
    assert run().builds == 3
    assert numbers() == [3]
    # The former baseline's picture stays for a restore, the current one's anyway.
    assert colors() == {"red", "blue"}
    assert world.baseline() == {"a": "blue"}
    assert len(list(blob_store().keys("images"))) == 2
    # Those of the builds that went; their pictures go with them.
    assert Comparison.objects.count() == len(list(blob_store().keys("diffs"))) == 1
    entries = AuditEntry.objects.filter(verb="build.retired").order_by("id")
    assert [entry.target_name for entry in entries] == ["acme/web #1", "acme/web #2", "acme/web #4"]
    assert {entry.actor_kind for entry in entries} == {"system"}


def test_the_baseline_can_be_restored_after_its_builds_went(world: World) -> None:
    approved(world, {"a": "red"}, 90)
    build = approved(world, {"a": "blue"}, 70)
    run()
    assert build.baseline is not None
    world.act("restore_baseline", baselineId=build.baseline.id, move=1)
    assert world.baseline() == {"a": "red"}
    assert world.publish({"a": "red"}).review_state == "not_required"


def test_nothing_goes_without_a_limit(world: World) -> None:
    Retention.objects.update(builds_days=None)
    approved(world, {"a": "red"}, 900)
    approved(world, {"a": "blue"}, 800)
    assert run() == Swept()
    Repository.objects.update(keep_builds_days=30)
    assert run().builds == 1
    Retention.objects.update(builds_days=30)
    Repository.objects.update(keep_builds_days=0)
    approved(world, {"a": "green"}, 700)
    assert run().builds == 0


def test_an_undecided_newest_build_waits_and_an_unfinished_one_is_left_alone(world: World) -> None:
    approved(world, {"a": "red"}, 90)
    aged(world.publish({"a": "green"}, branch="x"), 60)
    aged(world.publish({"a": "blue"}, branch="x"), 50)
    aged(world.upload({"a": "yellow"}, branch="y"), 50)
    assert run().builds == 1
    assert numbers() == [1, 3, 4]
    Build.objects.filter(number=3).update(created_at=now() - timedelta(days=211))
    assert run().builds == 1
    assert numbers() == [1, 4]


def test_an_approval_that_may_still_be_merged_keeps_its_build(world: World) -> None:
    approved(world, {"a": "red", "b": "white"}, 90)
    aged(world.publish({"a": "red", "b": "white"}), 85)
    pull = approved(world, {"a": "blue", "b": "white"}, 60, branch="x", target="main")
    # Another build of the branch stands for its baseline, so that only the approval holds this.
    approved(world, {"a": "green", "b": "white"}, 55, branch="x", target="main")
    run()
    assert Build.objects.filter(pk=pull.pk).exists()
    merged = world.publish({"a": "blue", "b": "white"})
    assert (merged.review_state, merged.decision_source) == ("approved", "carried_over")
    # What the merge brought is the baseline now: the pair cannot come again.
    run()
    assert not Build.objects.filter(pk=pull.pk).exists()


def test_an_approval_of_an_ended_pull_request_keeps_nothing(world: World) -> None:
    approved(world, {"a": "red"}, 90)
    pull = approved(world, {"a": "blue"}, 60, branch="x", target="main")
    approved(world, {"a": "green"}, 55, branch="x", target="main")
    news = {"state": "merged", "host_updated_at": now() - timedelta(days=13)}
    PullRequest.objects.update_or_create(repository=world.repository, number=1, defaults=news)
    run()
    # The target branch may still be built, and then the approval is carried over.
    assert Build.objects.filter(pk=pull.pk).exists()
    PullRequest.objects.update(host_updated_at=now() - timedelta(days=15))
    run()
    assert not Build.objects.filter(pk=pull.pk).exists()


def test_a_rejection_never_goes_before_the_approval_it_takes_back(world: World) -> None:
    approved(world, {"a": "red"}, 90)
    shots = {"a": "blue"}
    approved(world, shots, 60, branch="x", target="main")
    second = world.publish(shots, branch="y", target="main")
    world.act("reject_build", buildId=second.id)
    aged(second, 50)
    aged(world.publish({"a": "red"}, branch="y", target="main"), 45)
    Build.objects.filter(pk=second.pk).update(created_at=now() - timedelta(days=300))
    run()
    assert Build.objects.filter(pk=second.pk).exists()
    assert world.publish(shots).review_state == "unreviewed"


def test_what_a_build_superseded_stays_superseded(world: World) -> None:
    approved(world, {"a": "red", "b": "red"}, 90)
    first = world.publish({"a": "blue", "b": "blue"}, branch="x", target="main")
    shot = world.shot(first, "a").id
    world.act("review_screenshot", screenshotId=shot, state="approved")
    aged(first, 60)
    aged(world.publish({"a": "green", "b": "blue"}, branch="x", target="main"), 55)
    last = aged(world.publish({"a": "yellow", "b": "blue"}, branch="x", target="main"), 50)
    run()
    assert numbers() == [1, 2, 4]
    assert world.fresh(first).superseded_by_id == last.id


def test_unused_images_wait_for_their_days_and_announced_ones_stay(world: World) -> None:
    aged(world.publish({"a": "red"}), 0)
    Screenshot.objects.all().delete()
    Image.objects.update(created_at=now() - timedelta(days=6))
    assert run().images == 0
    uploading = world.upload({"a": "red"})
    Screenshot.objects.filter(build=uploading).update(image=None)
    Image.objects.update(created_at=now() - timedelta(days=8))
    assert run().images == 0
    Build.objects.filter(pk=uploading.pk).update(status="expired")
    assert run().images == 1
    assert set(blob_store().keys("images")) == set()


def test_recordings_past_their_time_go_with_their_bytes(world: World) -> None:
    rows = [recording(world, days, status) for days, status in OLD_AND_NEW]
    assert run().recordings == 2
    assert set(Recording.objects.all()) == set(rows[2:])
    assert len(set(blob_store().keys("recordings"))) == len(rows) - 2
    verbs = AuditEntry.objects.filter(verb="recording.retired")
    assert {entry.target_id for entry in verbs} == {rows[0].id, rows[1].id}


OLD_AND_NEW = ((31, "ready"), (31, "failed"), (29, "ready"), (31, "uploading"))


def recording(world: World, days: int, status: str) -> Recording:
    row = Recording.objects.create(
        repository=world.repository,
        product=Product.objects.get(repository=world.repository),
        key=f"{days}-{status}",
        title="signs in",
        status=status,
        size=5,
        part_size=5,
        created_at=now() - timedelta(days=days),
    )
    folder = stored_folder(world.repository.organization_id, row.id)
    blob_store().put(f"{folder}/video.webm", b"video")
    return row


def test_a_dry_run_tells_what_would_go_and_deletes_nothing(world: World) -> None:
    approved(world, {"a": "red"}, 90)
    approved(world, {"a": "blue"}, 70)
    recording(world, 31, "ready")
    before = numbers(), colors(), Recording.objects.count(), set(blob_store().keys())
    lines = [line.split("\t") for line in planned()]
    assert [line[:3] for line in lines] == [
        ["build", "acme/web", "#1 main"],
        ["recording", "acme/web", "signs in"],
        ["unused images", "Acme", "0"],
        ["unused images", "Evil Corp", "0"],
    ]
    assert (numbers(), colors(), Recording.objects.count(), set(blob_store().keys())) == before


def test_a_build_under_deletion_is_in_no_list(world: World) -> None:
    approved(world, {"a": "red"}, 90)
    approved(world, {"a": "blue"}, 70)
    with connection.execute_wrapper(killer(7)), pytest.raises(KilledError):
        run()
    assert numbers() == [1, 2]
    listed = act(world.persona, "list_builds", repoId=world.repository.id).builds
    assert [build.number for build in listed] == [2]


@pytest.mark.parametrize("step", range(1, 27, 2))
def test_a_sweep_cut_anywhere_is_finished_by_the_next(world: World, step: int) -> None:
    approved(world, {"a": "red", "b": "white"}, 90)
    aged(world.publish({"a": "green", "c": "error"}), 80)
    approved(world, {"a": "blue", "b": "white"}, 70)
    recording(world, 31, "ready")
    with connection.execute_wrapper(killer(step)), pytest.raises(KilledError):
        run()
    run()
    assert numbers() == [3]
    assert not Recording.objects.exists()
    assert colors() == {"red", "white", "blue"}
    assert world.baseline() == {"a": "blue", "b": "white"}
    entries = AuditEntry.objects.filter(verb__endswith=".retired")
    assert sorted(entry.target_name for entry in entries) == [
        *("acme/web #1", "acme/web #2", "signs in")
    ]


def killer(step: int) -> Callable[..., Any]:
    counter = itertools.count(1)

    def wrapper(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:  # noqa: ANN401 - Django's.
        changing = sql.startswith(("DELETE", "INSERT", "UPDATE")) or "FOR UPDATE" in sql
        if changing and next(counter) == step:
            raise KilledError(sql)
        return execute(sql, *rest)

    return wrapper


def test_another_organization_keeps_its_own(world: World, personas: Personas) -> None:
    theirs = World(personas.mallory)
    approved(theirs, {"a": "red"}, 90)
    approved(theirs, {"a": "blue"}, 70)
    run()
    assert numbers() == [1, 2]
    with pytest.raises(NotFoundError):
        world.act("set_repo_retention", repoId=theirs.repository.id, buildsDays=1)


def test_a_rejected_removal_holds_its_build_also_after_its_row_went(world: World) -> None:
    approved(world, {"a": "red"}, 90, branch="release")
    approved(world, {"a": "red", "same": "white"}, 90)
    for branch, state in (("x", "approved"), ("y", "rejected")):
        # The new one keeps the build undecided, so that no baseline stands on it.
        build = world.publish({"a": "red", "new": "blue"}, branch=branch, target="main")
        shot = world.shot(build, "same").id
        world.act("review_screenshot", screenshotId=shot, state=state)
        aged(build, 60)
    news = News(number=1, base_branch="release", updated_at=now())
    retarget_builds(note_told(world.repository, news).pull_request)
    world.process(build)
    assert world.states(build) == {"a": "unchanged", "new": "new"}
    Build.objects.filter(pk=build.pk).update(created_at=now() - timedelta(days=300))
    run()
    assert Build.objects.filter(pk=build.pk).exists()
    # Else the earlier approval would count again.
    assert world.states(world.publish({"a": "red"})) == {"a": "unchanged", "same": "removed"}


def test_a_cut_deletion_is_ended_also_when_everything_stays_for_good_by_then(world: World) -> None:
    approved(world, {"a": "red"}, 90)
    approved(world, {"a": "blue"}, 70)
    with connection.execute_wrapper(killer(7)), pytest.raises(KilledError):
        run()
    assert numbers() == [1, 2]
    Retention.objects.update(builds_days=None)
    assert run().builds == 1
    assert numbers() == [2]
