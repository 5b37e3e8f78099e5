"""A pull request whose target changes: its builds are compared again with the new one."""

from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest
from procrastinate.contrib.django.models import ProcrastinateJob

from tests.personas import Personas
from tests.worlds import World
from visual_review.audit.models import AuditEntry
from visual_review.builds.completing import complete
from visual_review.builds.following import note_told
from visual_review.builds.following_rules import News
from visual_review.builds.host_models import PullRequest
from visual_review.builds.measuring import measure
from visual_review.builds.models import Baseline, Build, ReviewEntry, Screenshot
from visual_review.builds.retargeting import retarget_builds
from visual_review.kernel.errors import ConflictError

START = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def world(personas: Personas) -> World:
    """``main`` shows red, ``release`` green; both agree on what they show as ``same``."""
    world = World(personas.bob)
    for branch, color in (("main", "red"), ("release", "green")):
        approve(world, world.publish({"a": color, "same": "white"}, branch))
    return world


def approve(world: World, build: Build) -> None:
    world.act("approve_build", buildId=build.id)


def told(world: World, base: str, minute: int = 1, **facts: str) -> PullRequest:
    """What the host's news do, short of the job that carries them."""
    moment = START + timedelta(minutes=minute)
    news = News(number=1, base_branch=base, updated_at=moment, **facts)  # type: ignore[arg-type]
    noted = note_told(world.repository, news).pull_request
    retarget_builds(noted)
    return noted


def again(world: World, build: Build) -> Build:
    row = world.fresh(build)
    return world.process(row) if row.status == "processing" else row


def test_a_build_is_compared_again_with_the_new_targets_baseline(world: World) -> None:
    build = world.publish({"a": "red", "same": "white"}, "feature", target="main")
    assert build.review_state == "not_required"
    told(world, "release")
    row = world.fresh(build)
    assert (row.status, row.review_state, row.base_branch) == (
        "processing",
        "unreviewed",
        "release",
    )
    row = again(world, build)
    assert (row.status, row.review_state, row.changed_count) == ("completed", "unreviewed", 1)
    assert row.baseline == Baseline.objects.get(branch="release")
    assert row.baseline_rule == "target_branch"
    assert world.states(build) == {"a": "changed", "same": "unchanged"}


def test_news_told_again_change_nothing_more(world: World) -> None:
    build = world.publish({"a": "red", "same": "white"}, "feature", target="main")
    for _ in range(3):
        told(world, "release")
        again(world, build)
    assert AuditEntry.objects.filter(verb="build.retargeted", target_id=build.id).count() == 1


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_a_build_ends_with_the_newest_target_in_whatever_order_it_is_told(
    world: World, order: tuple[int, ...]
) -> None:
    build = world.publish({"a": "red", "same": "white"}, "feature", target="main")
    steps = (("release", 1), ("main", 2), ("release", 3))
    for place in (*order, *order):
        told(world, *steps[place])
        again(world, build)
    row = world.fresh(build)
    assert (row.base_branch, row.changed_count, row.status) == ("release", 1, "completed")


def test_removed_and_new_screenshots_follow_the_new_target(world: World) -> None:
    approve(world, world.publish({"a": "green", "same": "white", "old": "blue"}, "release"))
    build = world.publish({"a": "red", "extra": "blue"}, "feature", target="main")
    assert world.states(build) == {"a": "unchanged", "extra": "new", "same": "removed"}
    told(world, "release")
    again(world, build)
    assert world.states(build) == {
        "a": "changed",
        "extra": "new",
        "same": "removed",
        "old": "removed",
    }
    told(world, "main", 2)
    again(world, build)
    assert world.states(build) == {"a": "unchanged", "extra": "new", "same": "removed"}


def test_a_partial_build_inherits_from_the_new_target(world: World) -> None:
    approve(world, world.publish({"a": "red", "same": "white", "only": "blue"}, "main"))
    stories = ("a", "same", "only")
    build = world.publish({"a": "black"}, "feature", target="main", stories=stories)
    told(world, "release")
    again(world, build)
    # What the new target lacks is shown as it was captured: the story did not change since.
    assert world.states(build) == {"a": "changed", "same": "unchanged", "only": "new"}
    inherited = Screenshot.objects.filter(build=build, inherited=True)
    assert list(inherited.values_list("story_id", flat=True)) == ["same"]
    approve(world, build)
    assert world.baseline("feature") == {"a": "black", "same": "white", "only": "blue"}


def test_decisions_stay_on_pairs_that_stay_and_others_are_taken_back(world: World) -> None:
    build = world.publish({"a": "black", "same": "blue"}, "feature", target="main")
    approve(world, build)
    told(world, "release")
    row = again(world, build)
    assert (row.review_state, row.decided_by_name, row.decided_at) == ("unreviewed", "", None)
    assert world.states(build) == {"a": "changed", "same": "changed approved"}
    assert world.shot(build, "same").decided_by_name == "Bob"
    # Nothing of what was decided is lost.
    assert ReviewEntry.objects.filter(build=build, source="user", decision="approved").count() == 3
    approve(world, build)
    assert world.fresh(build).review_state == "approved"


def test_a_rejection_stays_with_its_words(world: World) -> None:
    build = world.publish({"a": "red", "same": "blue"}, "feature", target="main")
    shot = world.shot(build, "same")
    world.act("review_screenshot", screenshotId=shot.id, state="rejected", comment="Too blue.")
    told(world, "release")
    again(world, build)
    shot.refresh_from_db()
    assert (shot.review_decision, shot.comment) == ("rejected", "Too blue.")


def test_an_approved_build_whose_pairs_all_stay_is_approved_again(world: World) -> None:
    approve(world, world.publish({"a": "red", "same": "white"}, "release"))
    build = world.publish({"a": "red", "same": "blue"}, "feature", target="main")
    approve(world, build)
    told(world, "release")
    row = again(world, build)
    assert (row.review_state, row.decision_source) == ("approved", "carried_over")
    # And once it is merged there, the release branch asks nobody either.
    merged = world.publish({"a": "red", "same": "blue"}, "release")
    assert merged.decision_source == "carried_over"


def test_an_accepted_removal_is_accepted_for_the_new_target_too(world: World) -> None:
    build = world.publish({"a": "red"}, "feature", target="main")
    shot = world.shot(build, "same")
    world.act("review_screenshot", screenshotId=shot.id, state="approved")
    told(world, "release")
    again(world, build)
    assert world.states(build) == {"a": "changed", "same": "removed approved"}
    assert world.shot(build, "same").decided_by_name == "Bob"
    entries = ReviewEntry.objects.filter(build=build, story_id="same", source="user")
    assert [entry.screenshot_id for entry in entries] == [shot.id]


def test_a_rejected_removal_is_not_accepted_with_what_is_approved_after(world: World) -> None:
    build = world.publish({"a": "black"}, "feature", target="main")
    shot = world.shot(build, "same").id
    world.act("review_screenshot", screenshotId=shot, state="rejected", comment="Keep it.")
    told(world, "release")
    row = again(world, build)
    assert world.states(build) == {"a": "changed", "same": "removed rejected"}
    assert (row.changed_count, row.removed_count) == (1, 1)
    world.act("review_screenshot", screenshotId=world.shot(build, "a").id, state="approved")
    assert world.fresh(build).review_state == "approved"
    assert world.states(build)["same"] == "removed rejected"


def test_the_log_keeps_a_decision_whose_row_goes(world: World) -> None:
    approve(world, world.publish({"a": "green"}, "release"))
    build = world.publish({"a": "red"}, "feature", target="main")
    world.act("review_screenshot", screenshotId=world.shot(build, "same").id, state="approved")
    told(world, "release")
    again(world, build)
    assert world.states(build) == {"a": "changed"}
    entries = ReviewEntry.objects.filter(build=build, story_id="same", source="user")
    assert [entry.screenshot_id for entry in entries] == [None]


def test_a_picture_the_new_target_threw_out_is_looked_at_anew(world: World) -> None:
    for color in ("blue", "white"):
        approve(world, world.publish({"a": "green", "same": color}, "release"))
    build = world.publish({"a": "red", "same": "blue"}, "feature", target="main")
    approve(world, build)
    told(world, "release")
    again(world, build)
    shot = world.shot(build, "same")
    assert (shot.review_decision, shot.matches_former_baseline) == ("", True)


def test_the_same_baseline_under_another_name_of_the_target_compares_nothing_again(
    world: World,
) -> None:
    build = world.publish({"a": "blue", "same": "white"}, "feature", target="main")
    approve(world, build)
    # Neither branch has a baseline, so the default branch's counts as before.
    told(world, "main-2")
    row = world.fresh(build)
    assert (row.review_state, row.baseline_rule) == ("approved", "default_branch")
    assert row.base_branch == "main-2"


def test_only_the_newest_build_of_each_product_follows(world: World) -> None:
    shots = {"a": "red", "same": "white"}
    older = world.publish(shots, "feature", target="main")
    other = world.publish(shots, "feature", target="main", product_key="docs")
    newer = world.publish(shots, "feature", target="main")
    uploading = world.upload(shots, "feature", target="main")
    told(world, "release")
    found = {row: world.fresh(row).base_branch for row in (older, other, newer, uploading)}
    assert found == {older: "main", other: "release", newer: "release", uploading: "main"}


def test_what_was_measured_for_the_old_target_is_not_written(world: World) -> None:
    build = world.publish({"a": "red", "same": "white"}, "feature", target="main")
    told(world, "release")
    row = Build.objects.select_related("repository", "product").get(pk=build.pk)
    stale = measure(row)
    told(world, "main", 2)
    ProcrastinateJob.objects.all()._raw_delete("default")  # noqa: SLF001 - The model is read-only.
    complete(build.id, stale)
    assert world.fresh(build).status == "processing"
    # Whatever became of the job that the new target enqueued.
    assert ProcrastinateJob.objects.get().task_name == "process_build"
    assert again(world, build).review_state == "not_required"


def test_nobody_decides_on_a_build_while_it_is_compared_again(world: World) -> None:
    build = world.publish({"a": "blue", "same": "white"}, "feature", target="main")
    told(world, "release")
    with pytest.raises(ConflictError, match="Wait until the comparison has ended"):
        approve(world, build)
    assert world.baseline("feature") == {}


def test_a_repeated_order_of_a_retargeted_build_is_still_the_same(world: World) -> None:
    build = world.publish({"a": "red"}, "feature", target="main", nonce="run")
    told(world, "release")
    assert world.upload({"a": "red"}, "feature", target="main", nonce="run") == build


def test_builds_tell_of_a_pull_request_until_the_host_does(world: World) -> None:
    shots = {"a": "red", "same": "white"}
    world.publish(shots, "feature", target="main", commit="1" * 40)
    row = PullRequest.objects.get(repository=world.repository, number=1)
    assert (row.head_branch, row.head_commit, row.base_branch) == ("feature", "1" * 40, "main")
    told(world, "release", title="Buttons", head_commit="2" * 40)
    world.publish(shots, "feature", target="main", commit="1" * 40)
    row.refresh_from_db()
    assert (row.base_branch, row.head_commit, row.title) == ("release", "2" * 40, "Buttons")


def test_a_closed_pull_request_moves_nothing(world: World) -> None:
    build = world.publish({"a": "blue", "same": "white"}, "feature", target="main")
    before = row_of(build)
    row = told(world, "main", state="closed")
    assert row.state == "closed"
    assert row_of(build) == before


def row_of(build: Build) -> dict[str, object]:
    return Build.objects.filter(pk=build.pk).values().get()


def test_a_rejection_stays_however_often_the_target_changes(world: World) -> None:
    build = world.publish({"a": "red", "same": "blue"}, "feature", target="main")
    shot = world.shot(build, "same")
    world.act("review_screenshot", screenshotId=shot.id, state="rejected", comment="Too blue.")
    for minute, target in enumerate(("release", "main", "release"), 1):
        told(world, target, minute)
        again(world, build)
        shot.refresh_from_db()
        assert (shot.review_decision, shot.comment, shot.decided_by_name) == (
            "rejected",
            "Too blue.",
            "Bob",
        )
