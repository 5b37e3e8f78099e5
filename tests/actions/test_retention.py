"""The nightly sweep: deleted and kept data, and interruptions at any point."""

import itertools
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from procrastinate.contrib.django.models import ProcrastinateJob

from tests.support.action_calls import act
from tests.support.case import Case
from tests.support.deciding import decide
from tests.support.depth import rounds, some_of
from tests.support.personas import Persona, Personas
from tests.support.scenes import scene
from tests.support.worlds import World, png, sha256
from visual_review.audit.models import AuditEntry
from visual_review.builds.comparing.base_branch_change import apply_base_branch_change
from visual_review.builds.models import (
    Baseline,
    Build,
    Comparison,
    Image,
    PullRequest,
    ReviewEntry,
    Screenshot,
)
from visual_review.builds.pull_requests.ordering import PullRequestSnapshot
from visual_review.builds.pull_requests.tracking import record_event
from visual_review.config.commands.retention import list_planned_deletions
from visual_review.jobs.recordings.delete_recording import delete_recording
from visual_review.jobs.upkeep.sweep_retention import SweepResult, sweep
from visual_review.kernel.blobs import blob_store
from visual_review.kernel.clock import now
from visual_review.kernel.errors import NotFoundError
from visual_review.recordings.blob_keys import stored_folder
from visual_review.recordings.models import Recording
from visual_review.repositories.models import Product, Repository, Retention

# The changing or locking statements of a sweep.
STATEMENTS = 27


class KilledError(Exception):
    """Simulates a kill between two statements."""


@scene
def keep_thirty_days(persona: Persona) -> World:
    """Builds and recordings are kept for thirty days."""
    Retention.objects.create(organization=persona.organization, builds_days=30, recordings_days=30)
    return World(persona)


@scene
def approve_long_ago(persona: Persona, shots: dict[str, str]) -> World:
    """Publish and approve the baseline of ``main`` longer ago than the limit."""
    world = keep_thirty_days(persona)
    approved(world, shots, 90)
    return world


@scene
def approve_two_versions(persona: Persona) -> World:
    """Two builds past the limit: the first was the baseline, the second is."""
    world = approve_long_ago(persona, {"a": "red"})
    approved(world, {"a": "blue"}, 70)
    return world


@scene
def fill_world(persona: Persona) -> World:
    """Publish builds past the limit, one of them the baseline, and a recording."""
    world = approve_long_ago(persona, {"a": "red", "b": "white"})
    aged(world.publish({"a": "green", "c": "error"}), 80)
    approved(world, {"a": "blue", "b": "white"}, 70)
    recording(world, 31, "ready")
    return world


@pytest.fixture
def world(personas: Personas) -> World:
    return keep_thirty_days(personas.alice)


@pytest.fixture
def two_versions(personas: Personas) -> World:
    return approve_two_versions(personas.alice)


def aged(build: Build, days: int) -> Build:
    """Make the build look as if created and decided ``days`` ago."""
    by = timedelta(days=days)
    Build.objects.filter(pk=build.pk).update(created_at=now() - by)
    ReviewEntry.objects.filter(build=build).update(decided_at=F("decided_at") - by)
    build.versions.update(created_at=F("created_at") - by)
    Image.objects.update(created_at=now() - timedelta(days=400))
    Comparison.objects.update(created_at=now() - timedelta(days=400))
    return build


def run() -> SweepResult:
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


def approved(world: World, shots: dict[str, str], days: int, **request: Any) -> Build:  # noqa: ANN401 - The request's own fields.
    build = world.publish(shots, **request)
    world.approve(build)
    return aged(build, days)


def test_builds_past_the_limit_are_deleted_with_what_only_they_used(personas: Personas) -> None:
    world = approve_long_ago(personas.alice, {"a": "red"})
    aged(world.publish({"a": "green"}), 80)
    approved(world, {"a": "blue"}, 70)
    aged(world.publish({"a": "blue"}), 60)
    assert run().builds == 3
    assert numbers() == [3]
    # The former baseline's image is kept for a restore.
    assert colors() == {"red", "blue"}
    assert world.baseline() == {"a": "blue"}
    assert len(list(blob_store().keys("images"))) == 2
    # The comparisons of deleted builds are deleted with their images.
    assert Comparison.objects.count() == len(list(blob_store().keys("diffs"))) == 1
    entries = AuditEntry.objects.filter(verb="build.retired").order_by("id")
    assert [entry.target_name for entry in entries] == ["acme/web #1", "acme/web #2", "acme/web #4"]
    assert {entry.actor_kind for entry in entries} == {"system"}


def test_the_baseline_can_be_restored_after_its_builds_are_deleted(two_versions: World) -> None:
    run()
    baseline = Baseline.objects.get()
    two_versions.act("restore_baseline", baselineId=baseline.id, version=1)
    assert two_versions.baseline() == {"a": "red"}
    assert two_versions.publish({"a": "red"}).review_state == "not_required"


def test_nothing_is_deleted_without_a_limit(world: World) -> None:
    Retention.objects.update(builds_days=None)
    approved(world, {"a": "red"}, 900)
    approved(world, {"a": "blue"}, 800)
    assert run() == SweepResult()
    Repository.objects.update(keep_builds_days=30)
    assert run().builds == 1
    Retention.objects.update(builds_days=30)
    Repository.objects.update(keep_builds_days=0)
    approved(world, {"a": "green"}, 700)
    assert run().builds == 0


def test_an_undecided_newest_build_is_kept_and_an_unfinished_one_ignored(
    personas: Personas,
) -> None:
    world = approve_long_ago(personas.alice, {"a": "red"})
    aged(world.publish({"a": "green"}, branch="x"), 60)
    aged(world.publish({"a": "blue"}, branch="x"), 50)
    aged(world.upload({"a": "yellow"}, branch="y"), 50)
    assert run().builds == 1
    assert numbers() == [1, 3, 4]
    Build.objects.filter(number=3).update(created_at=now() - timedelta(days=211))
    assert run().builds == 1
    assert numbers() == [1, 4]


def test_an_approval_that_may_still_be_merged_keeps_its_build(personas: Personas) -> None:
    world = approve_long_ago(personas.alice, {"a": "red", "b": "white"})
    aged(world.publish({"a": "red", "b": "white"}), 85)
    pull = approved(world, {"a": "blue", "b": "white"}, 60, branch="x", target="main")
    # Another build is the branch's baseline, so that only the approval keeps this one.
    approved(world, {"a": "green", "b": "white"}, 55, branch="x", target="main")
    run()
    assert Build.objects.filter(pk=pull.pk).exists()
    merged = world.publish({"a": "blue", "b": "white"})
    assert (merged.review_state, merged.decision_source) == ("approved", "carried_over")
    # The merged image is the baseline now, so the pair cannot occur again.
    run()
    assert not Build.objects.filter(pk=pull.pk).exists()


def test_an_approval_of_an_ended_pull_request_keeps_nothing(personas: Personas) -> None:
    world = approve_long_ago(personas.alice, {"a": "red"})
    pull = approved(world, {"a": "blue"}, 60, branch="x", target="main")
    approved(world, {"a": "green"}, 55, branch="x", target="main")
    fields = {"state": "merged", "host_updated_at": now() - timedelta(days=13)}
    PullRequest.objects.update_or_create(repository=world.repository, number=1, defaults=fields)
    run()
    # The base branch may still be built, and then the approval is carried over.
    assert Build.objects.filter(pk=pull.pk).exists()
    PullRequest.objects.update(host_updated_at=now() - timedelta(days=15))
    run()
    assert not Build.objects.filter(pk=pull.pk).exists()


def test_a_rejection_is_never_deleted_before_the_approval_it_overrides(personas: Personas) -> None:
    world = approve_long_ago(personas.alice, {"a": "red"})
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


def test_a_cleared_approval_is_never_deleted_before_the_one_it_ends(personas: Personas) -> None:
    world = approve_long_ago(personas.alice, {"a": "red"})
    shots = {"a": "blue"}
    approved(world, shots, 60, branch="x", target="main")
    # The second build's first screenshot starts approved.
    second = world.publish({**shots, "b": "red"}, branch="y", target="main")
    decide(world.persona, second, "cleared", shots=["a"])
    aged(second, 50)
    aged(world.publish({"a": "red"}, branch="y", target="main"), 45)
    Build.objects.filter(pk=second.pk).update(created_at=now() - timedelta(days=300))
    run()
    assert Build.objects.filter(pk=second.pk).exists()
    assert world.publish(shots).review_state == "unreviewed"


def test_a_superseded_build_stays_superseded(personas: Personas) -> None:
    world = approve_long_ago(personas.alice, {"a": "red", "b": "red"})
    first = world.publish({"a": "blue", "b": "blue"}, branch="x", target="main")
    shot = world.shot(first, "a").id
    world.act("review_screenshot", screenshotId=shot, state="approved")
    aged(first, 60)
    aged(world.publish({"a": "green", "b": "blue"}, branch="x", target="main"), 55)
    last = aged(world.publish({"a": "yellow", "b": "blue"}, branch="x", target="main"), 50)
    run()
    assert numbers() == [1, 2, 4]
    assert world.fresh(first).superseded_by_id == last.id


def test_unused_images_are_kept_for_days_and_announced_ones_stay(world: World) -> None:
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


def test_recordings_past_the_limit_are_deleted_with_their_bytes(world: World) -> None:
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


def test_a_dry_run_lists_what_would_be_deleted_and_deletes_nothing(two_versions: World) -> None:
    recording(two_versions, 31, "ready")
    before = numbers(), colors(), Recording.objects.count(), set(blob_store().keys())
    lines = [line.split("\t") for line in list_planned_deletions()]
    assert [line[:3] for line in lines] == [
        ["build", "acme/web", "#1 main"],
        ["recording", "acme/web", "signs in"],
        ["unused images", "Acme", "0"],
        ["unused images", "Evil Corp", "0"],
    ]
    assert (numbers(), colors(), Recording.objects.count(), set(blob_store().keys())) == before


def test_a_build_being_deleted_is_not_listed(two_versions: World) -> None:
    with connection.execute_wrapper(kill_before(7)), pytest.raises(KilledError):
        run()
    assert numbers() == [1, 2]
    listed = act(two_versions.persona, "list_builds", repoId=two_versions.repository.id).builds
    assert [build.number for build in listed] == [2]


@pytest.mark.search
def test_an_interrupted_sweep_is_finished_by_the_next(personas: Personas, case: Case) -> None:
    for step in some_of(range(1, STATEMENTS + 1), rounds(7, STATEMENTS)):
        with case(f"killed before statement {step}"):
            world = fill_world(personas.alice)
            with connection.execute_wrapper(kill_before(step)), pytest.raises(KilledError):
                run()
            # Django marks the transaction of the test; a kill leaves other transactions alone.
            connection.set_rollback(False)
            run()
            assert numbers() == [3]
            assert not Recording.objects.exists()
            assert colors() == {"red", "white", "blue"}
            assert world.baseline() == {"a": "blue", "b": "white"}
            entries = AuditEntry.objects.filter(verb__endswith=".retired")
            names = sorted(entry.target_name for entry in entries)
            assert names == ["acme/web #1", "acme/web #2", "signs in"]


def kill_before(step: int) -> Callable[..., Any]:
    counter = itertools.count(1)

    def wrapper(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:  # noqa: ANN401 - Django's.
        changing = sql.startswith(("DELETE", "INSERT", "UPDATE")) or "FOR UPDATE" in sql
        if changing and next(counter) == step:
            raise KilledError(sql)
        return execute(sql, *rest)

    return wrapper


def test_another_organizations_builds_are_kept(world: World, personas: Personas) -> None:
    theirs = World(personas.mallory)
    approved(theirs, {"a": "red"}, 90)
    approved(theirs, {"a": "blue"}, 70)
    run()
    assert numbers() == [1, 2]
    with pytest.raises(NotFoundError):
        world.act("set_repo_retention", repoId=theirs.repository.id, buildsDays=1)


def test_a_rejected_removal_keeps_its_build_after_its_row_was_deleted(world: World) -> None:
    approved(world, {"a": "red"}, 90, branch="release")
    approved(world, {"a": "red", "same": "white"}, 90)
    for branch, state in (("x", "approved"), ("y", "rejected")):
        # The new story keeps the build undecided, so that it is not a baseline.
        build = world.publish({"a": "red", "new": "blue"}, branch=branch, target="main")
        shot = world.shot(build, "same").id
        world.act("review_screenshot", screenshotId=shot, state=state)
        aged(build, 60)
    event = PullRequestSnapshot(number=1, base_branch="release", updated_at=now())
    apply_base_branch_change(record_event(world.repository, event).pull_request)
    world.process(build)
    assert world.states(build) == {"a": "unchanged", "new": "new"}
    Build.objects.filter(pk=build.pk).update(created_at=now() - timedelta(days=300))
    run()
    assert Build.objects.filter(pk=build.pk).exists()
    # Otherwise the earlier approval would apply again.
    assert world.states(world.publish({"a": "red"})) == {"a": "unchanged", "same": "removed"}


@pytest.mark.usefixtures("two_versions")
def test_an_interrupted_deletion_is_finished_even_without_a_limit() -> None:
    with connection.execute_wrapper(kill_before(7)), pytest.raises(KilledError):
        run()
    assert numbers() == [1, 2]
    Retention.objects.update(builds_days=None)
    assert run().builds == 1
    assert numbers() == [2]
