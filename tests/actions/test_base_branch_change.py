"""A pull request with a new base branch: its builds are compared again with the new branch."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest
from procrastinate.contrib.django.models import ProcrastinateJob

from tests.support.case import Case
from tests.support.personas import Persona, Personas
from tests.support.scenes import scene
from tests.support.worlds import World
from visual_review.audit.models import AuditEntry
from visual_review.builds.comparing.base_branch_change import apply_base_branch_change
from visual_review.builds.comparing.complete import complete_build
from visual_review.builds.comparing.measure import measure_build
from visual_review.builds.models import Baseline, Build, PullRequest, ReviewEntry, Screenshot
from visual_review.builds.pull_requests.ordering import PullRequestSnapshot
from visual_review.builds.pull_requests.tracking import record_event
from visual_review.kernel.errors import ConflictError

START = datetime(2026, 3, 1, tzinfo=UTC)
SAME_AS_MAIN = {"a": "red", "same": "white"}


@dataclass
class PullRequestWorld(World):
    build: Build = field(init=False)


@scene
def world_with_two_branches(
    persona: Persona, shots: dict[str, str] | None = None, *, approved: bool = False
) -> PullRequestWorld:
    """Approve red for ``a`` on ``main`` and green on ``release``; ``same`` is white on both.

    If ``shots`` are given, publish them for a pull request into ``main``.
    """
    world = PullRequestWorld(persona)
    for branch, color in (("main", "red"), ("release", "green")):
        approve(world, world.publish({"a": color, "same": "white"}, branch))
    if shots is not None:
        world.build = world.publish(shots, "feature", target="main")
    if approved:
        approve(world, world.build)
    return world


@pytest.fixture
def world(personas: Personas) -> World:
    return world_with_two_branches(personas.bob)


def approve(world: World, build: Build) -> None:
    world.approve(build)


def change_base_branch(world: World, base: str, minute: int = 1, **facts: str) -> PullRequest:
    """Apply an event with another base branch, without its job."""
    moment = START + timedelta(minutes=minute)
    event = PullRequestSnapshot(number=1, base_branch=base, updated_at=moment, **facts)  # type: ignore[arg-type]
    pull_request = record_event(world.repository, event).pull_request
    apply_base_branch_change(pull_request)
    return pull_request


def compare_again(world: World, build: Build) -> Build:
    row = world.fresh(build)
    return world.process(row) if row.status == "processing" else row


def test_a_build_is_compared_again_with_the_new_base_branch(personas: Personas) -> None:
    world = world_with_two_branches(personas.bob, SAME_AS_MAIN)
    assert world.build.review_state == "not_required"
    change_base_branch(world, "release")
    row = world.fresh(world.build)
    assert (row.status, row.review_state, row.base_branch) == (
        "processing",
        "unreviewed",
        "release",
    )
    row = compare_again(world, world.build)
    assert (row.status, row.review_state, row.changed_count) == ("completed", "unreviewed", 1)
    assert row.baseline == Baseline.objects.get(branch="release")
    assert row.baseline_rule == "target_branch"
    assert world.states(world.build) == {"a": "changed", "same": "unchanged"}


def test_repeated_events_change_nothing_more(personas: Personas) -> None:
    world = world_with_two_branches(personas.bob, SAME_AS_MAIN)
    for _ in range(3):
        change_base_branch(world, "release")
        compare_again(world, world.build)
    assert AuditEntry.objects.filter(verb="build.retargeted", target_id=world.build.id).count() == 1


def test_the_newest_base_branch_wins_in_any_order_of_events(personas: Personas, case: Case) -> None:
    world = world_with_two_branches(personas.bob, SAME_AS_MAIN)
    steps = (("release", 1), ("main", 2), ("release", 3))
    for order in permutations(range(3)):
        with case(order):
            for index in (*order, *order):
                change_base_branch(world, *steps[index])
                compare_again(world, world.build)
            row = world.fresh(world.build)
            assert (row.base_branch, row.changed_count, row.status) == ("release", 1, "completed")


def test_removed_and_new_screenshots_follow_the_new_base_branch(world: World) -> None:
    approve(world, world.publish({"a": "green", "same": "white", "old": "blue"}, "release"))
    build = world.publish({"a": "red", "extra": "blue"}, "feature", target="main")
    assert world.states(build) == {"a": "unchanged", "extra": "new", "same": "removed"}
    change_base_branch(world, "release")
    compare_again(world, build)
    assert world.states(build) == {
        "a": "changed",
        "extra": "new",
        "same": "removed",
        "old": "removed",
    }
    change_base_branch(world, "main", 2)
    compare_again(world, build)
    assert world.states(build) == {"a": "unchanged", "extra": "new", "same": "removed"}


def test_a_partial_build_inherits_from_the_new_base_branch(world: World) -> None:
    approve(world, world.publish({"a": "red", "same": "white", "only": "blue"}, "main"))
    stories = ("a", "same", "only")
    build = world.publish({"a": "black"}, "feature", target="main", stories=stories)
    change_base_branch(world, "release")
    compare_again(world, build)
    # A story missing in the new base branch is shown as captured, and has not changed since.
    assert world.states(build) == {"a": "changed", "same": "unchanged", "only": "new"}
    inherited = Screenshot.objects.filter(build=build, inherited=True)
    assert list(inherited.values_list("story_id", flat=True)) == ["same"]
    approve(world, build)
    assert world.baseline("feature") == {"a": "black", "same": "white", "only": "blue"}


def test_decisions_on_unchanged_pairs_are_kept_and_others_cleared(personas: Personas) -> None:
    world = world_with_two_branches(personas.bob, {"a": "black", "same": "blue"}, approved=True)
    change_base_branch(world, "release")
    row = compare_again(world, world.build)
    assert (row.review_state, row.decided_by_name, row.decided_at) == ("unreviewed", "", None)
    assert world.states(world.build) == {"a": "changed", "same": "changed approved"}
    assert world.shot(world.build, "same").decided_by_name == "Bob"
    # The review log keeps every decision.
    assert (
        ReviewEntry.objects.filter(build=world.build, source="user", decision="approved").count()
        == 3
    )
    approve(world, world.build)
    assert world.fresh(world.build).review_state == "approved"


def test_a_rejection_keeps_its_comment(personas: Personas) -> None:
    world = world_with_two_branches(personas.bob, {"a": "red", "same": "blue"})
    shot = world.shot(world.build, "same")
    world.act("review_screenshot", screenshotId=shot.id, state="rejected", comment="Too blue.")
    change_base_branch(world, "release")
    compare_again(world, world.build)
    shot.refresh_from_db()
    assert (shot.review_decision, shot.comment) == ("rejected", "Too blue.")


def test_an_approved_build_with_unchanged_pairs_is_approved_again(world: World) -> None:
    approve(world, world.publish({"a": "red", "same": "white"}, "release"))
    build = world.publish({"a": "red", "same": "blue"}, "feature", target="main")
    approve(world, build)
    change_base_branch(world, "release")
    row = compare_again(world, build)
    assert (row.review_state, row.decision_source) == ("approved", "carried_over")
    # After the merge, the release branch needs no review either.
    merged = world.publish({"a": "red", "same": "blue"}, "release")
    assert merged.decision_source == "carried_over"


def test_an_accepted_removal_is_accepted_for_the_new_base_branch_too(personas: Personas) -> None:
    world = world_with_two_branches(personas.bob, {"a": "red"})
    shot = world.shot(world.build, "same")
    world.act("review_screenshot", screenshotId=shot.id, state="approved")
    change_base_branch(world, "release")
    compare_again(world, world.build)
    assert world.states(world.build) == {"a": "changed", "same": "removed approved"}
    assert world.shot(world.build, "same").decided_by_name == "Bob"
    entries = ReviewEntry.objects.filter(build=world.build, story_id="same", source="user")
    assert [entry.screenshot_id for entry in entries] == [shot.id]


def test_a_rejected_removal_is_not_accepted_by_a_later_approval(personas: Personas) -> None:
    world = world_with_two_branches(personas.bob, {"a": "black"})
    shot = world.shot(world.build, "same").id
    world.act("review_screenshot", screenshotId=shot, state="rejected", comment="Keep it.")
    change_base_branch(world, "release")
    row = compare_again(world, world.build)
    assert world.states(world.build) == {"a": "changed", "same": "removed rejected"}
    assert (row.changed_count, row.removed_count) == (1, 1)
    world.act("review_screenshot", screenshotId=world.shot(world.build, "a").id, state="approved")
    assert world.fresh(world.build).review_state == "approved"
    assert world.states(world.build)["same"] == "removed rejected"


def test_the_log_keeps_a_decision_whose_row_is_deleted(world: World) -> None:
    approve(world, world.publish({"a": "green"}, "release"))
    build = world.publish({"a": "red"}, "feature", target="main")
    world.act("review_screenshot", screenshotId=world.shot(build, "same").id, state="approved")
    change_base_branch(world, "release")
    compare_again(world, build)
    assert world.states(build) == {"a": "changed"}
    entries = ReviewEntry.objects.filter(build=build, story_id="same", source="user")
    assert [entry.screenshot_id for entry in entries] == [None]


def test_an_image_the_new_base_branch_replaced_needs_a_review_again(world: World) -> None:
    for color in ("blue", "white"):
        approve(world, world.publish({"a": "green", "same": color}, "release"))
    build = world.publish({"a": "red", "same": "blue"}, "feature", target="main")
    approve(world, build)
    change_base_branch(world, "release")
    compare_again(world, build)
    shot = world.shot(build, "same")
    assert (shot.review_decision, shot.matches_former_baseline) == ("", True)


def test_a_base_branch_with_the_same_baseline_needs_no_comparison(personas: Personas) -> None:
    world = world_with_two_branches(personas.bob, {"a": "blue", "same": "white"}, approved=True)
    # Neither branch has a baseline, so the default branch's counts as before.
    change_base_branch(world, "main-2")
    row = world.fresh(world.build)
    assert (row.review_state, row.baseline_rule) == ("approved", "default_branch")
    assert row.base_branch == "main-2"


def test_only_the_newest_build_of_each_product_is_compared_again(world: World) -> None:
    shots = {"a": "red", "same": "white"}
    older = world.publish(shots, "feature", target="main")
    other = world.publish(shots, "feature", target="main", product_key="docs")
    newer = world.publish(shots, "feature", target="main")
    uploading = world.upload(shots, "feature", target="main")
    change_base_branch(world, "release")
    found = {row: world.fresh(row).base_branch for row in (older, other, newer, uploading)}
    assert found == {older: "main", other: "release", newer: "release", uploading: "main"}


def test_a_measurement_for_the_old_base_branch_is_not_written(personas: Personas) -> None:
    world = world_with_two_branches(personas.bob, SAME_AS_MAIN)
    change_base_branch(world, "release")
    row = Build.objects.select_related("repository", "product").get(pk=world.build.pk)
    stale = measure_build(row)
    change_base_branch(world, "main", 2)
    ProcrastinateJob.objects.all()._raw_delete("default")  # noqa: SLF001 - The model is read-only.
    complete_build(world.build.id, stale)
    assert world.fresh(world.build).status == "processing"
    # Even if the job of the base branch change is lost.
    assert ProcrastinateJob.objects.get().task_name == "process_build"
    assert compare_again(world, world.build).review_state == "not_required"


def test_a_build_cannot_be_decided_while_it_is_compared_again(personas: Personas) -> None:
    world = world_with_two_branches(personas.bob, {"a": "blue", "same": "white"})
    change_base_branch(world, "release")
    with pytest.raises(ConflictError, match="Wait until the comparison is done"):
        approve(world, world.build)
    assert world.baseline("feature") == {}


def test_a_repeated_request_after_the_base_branch_changed_finds_the_same_build(
    world: World,
) -> None:
    build = world.publish({"a": "red"}, "feature", target="main", nonce="run")
    change_base_branch(world, "release")
    assert world.upload({"a": "red"}, "feature", target="main", nonce="run") == build


def test_builds_describe_a_pull_request_until_the_provider_does(world: World) -> None:
    shots = {"a": "red", "same": "white"}
    world.publish(shots, "feature", target="main", commit="1" * 40)
    row = PullRequest.objects.get(repository=world.repository, number=1)
    assert (row.head_branch, row.head_commit, row.base_branch) == ("feature", "1" * 40, "main")
    change_base_branch(world, "release", title="Buttons", head_commit="2" * 40)
    world.publish(shots, "feature", target="main", commit="1" * 40)
    row.refresh_from_db()
    assert (row.base_branch, row.head_commit, row.title) == ("release", "2" * 40, "Buttons")


def test_closing_a_pull_request_changes_no_build(personas: Personas) -> None:
    world = world_with_two_branches(personas.bob, {"a": "blue", "same": "white"})
    before = row_of(world.build)
    row = change_base_branch(world, "main", state="closed")
    assert row.state == "closed"
    assert row_of(world.build) == before


def row_of(build: Build) -> dict[str, object]:
    return Build.objects.filter(pk=build.pk).values().get()


def test_a_rejection_is_kept_however_often_the_base_branch_changes(personas: Personas) -> None:
    world = world_with_two_branches(personas.bob, {"a": "red", "same": "blue"})
    shot = world.shot(world.build, "same")
    world.act("review_screenshot", screenshotId=shot.id, state="rejected", comment="Too blue.")
    for minute, target in enumerate(("release", "main", "release"), 1):
        change_base_branch(world, target, minute)
        compare_again(world, world.build)
        shot.refresh_from_db()
        assert (shot.review_decision, shot.comment, shot.decided_by_name) == (
            "rejected",
            "Too blue.",
            "Bob",
        )
