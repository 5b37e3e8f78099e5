"""Deciding screenshots, stories, groups and builds in one request."""

import pytest

from tests.support.action_calls import act, error_of, invalid_fields
from tests.support.case import Case
from tests.support.deciding import decide, decision_payload, group_with
from tests.support.personas import Personas
from tests.support.worlds import (
    BuildInReview,
    build_with_each_state,
    world_with_baseline,
)
from visual_review.audit.models import AuditEntry
from visual_review.builds.models import BaselineVersion, Build, DecisionBatch, ReviewEntry
from visual_review.builds.reviewing.approval import FinalizeNeededError
from visual_review.builds.reviewing.plan import OverrideNeededError
from visual_review.kernel.errors import (
    ConflictError,
    ForbiddenError,
    InvalidInputError,
    NotFoundError,
)

CARDS = ["card--a", "card--b", "card--c"]


@pytest.fixture
def each(personas: Personas) -> BuildInReview:
    """Stories ``same``, ``other`` (changed), ``more`` (new), ``gone`` (removed), ``broken``."""
    return build_with_each_state(personas.bob)


def test_screenshots_stories_and_groups_are_decided_together(grouped: BuildInReview) -> None:
    world, build = grouped
    chosen = {"shots": ["card--d"], "groups": [group_with(build, "card--a")]}
    result = decide(world.persona, build, "approved", **chosen)
    assert (result.decided, result.finalized, result.undoable) == (4, False, True)
    states = world.states(build)
    assert [states[f"card--{name}"] for name in "abcd"] == ["changed approved"] * 4
    assert states["menu--a"] == "changed"
    log = ReviewEntry.objects.filter(build=build, decision="approved", decided_by_name="Bob")
    assert log.count() == 4


def test_a_rejection_has_its_comment_on_every_screenshot(grouped: BuildInReview) -> None:
    world, build = grouped
    result = decide(
        world.persona, build, "rejected", groups=[group_with(build, "card--a")], comment="<b>No</b>"
    )
    assert (result.decided, result.review_state) == (3, "unreviewed")
    assert {world.shot(build, story).comment for story in CARDS} == {"<b>No</b>"}


def test_a_story_stands_for_its_changed_and_new_screenshots(each: BuildInReview) -> None:
    world, build = each
    assert decide(world.persona, build, "rejected", stories=["gone", "other"]).decided == 1
    assert world.states(build)["gone"] == "removed"
    assert decide(world.persona, build, "rejected", shots=["gone"]).decided == 1


def test_a_story_without_changed_and_new_screenshots_is_a_conflict(
    each: BuildInReview, case: Case
) -> None:
    world, build = each
    for story in ("same", "gone"):
        with case(story):
            payload = decision_payload(build, "approved", stories=[story])
            error = error_of(ConflictError, world.persona, "decide_screenshots", **payload)
            assert "no changed or new" in str(error)


def test_the_same_request_has_one_effect_and_the_same_result(grouped: BuildInReview) -> None:
    world, build = grouped
    payload = decision_payload(build, "approved", shots=["card--a"])
    first = act(world.persona, "decide_screenshots", **payload)
    log, audit = ReviewEntry.objects.count(), AuditEntry.objects.count()
    again = act(world.persona, "decide_screenshots", **{**payload, "confirmed": ["override"]})
    assert again == first
    assert (ReviewEntry.objects.count(), AuditEntry.objects.count()) == (log, audit)
    assert DecisionBatch.objects.count() == 1


def test_an_approval_that_is_sent_again_creates_one_version(grouped: BuildInReview) -> None:
    world, build = grouped
    payload = decision_payload(build, "approved", build=True, confirmed=["finalize"])
    results = [act(world.persona, "decide_screenshots", **payload) for _ in range(2)]
    assert results[0] == results[1]
    assert results[0].finalized
    assert BaselineVersion.objects.filter(build=build).count() == 1


def test_a_request_id_of_another_decision_is_a_conflict(grouped: BuildInReview) -> None:
    world, build = grouped
    payload = decision_payload(build, "approved", shots=["card--a"])
    act(world.persona, "decide_screenshots", **payload)
    other = {**payload, "decision": "rejected"}
    assert "already used" in str(
        error_of(ConflictError, world.persona, "decide_screenshots", **other)
    )


def test_two_reviewers_may_use_the_same_request_id(
    grouped: BuildInReview, personas: Personas
) -> None:
    _, build = grouped
    payload = decision_payload(build, "approved", shots=["card--a"])
    act(personas.bob, "decide_screenshots", **payload)
    other = {**payload, **decision_payload(build, "approved", shots=["card--b"])}
    other["requestId"] = payload["requestId"]
    assert act(personas.alice, "decide_screenshots", **other).decided == 1


def test_approved_ones_keep_their_decider(grouped: BuildInReview, personas: Personas) -> None:
    world, build = grouped
    decide(personas.alice, build, "approved", shots=["card--a"])
    result = decide(world.persona, build, "approved", shots=["card--a", "card--b"])
    assert result.decided == 1
    assert world.shot(build, "card--a").decided_by_name == "Alice"


def test_who_approves_what_was_approved_meanwhile_is_not_asked(
    grouped: BuildInReview, personas: Personas
) -> None:
    world, build = grouped
    payload = decision_payload(build, "approved", shots=["card--a"])
    decide(personas.alice, build, "approved", shots=["card--a"])
    assert act(world.persona, "decide_screenshots", **payload).decided == 0
    assert world.shot(build, "card--a").decided_by_name == "Alice"


def test_an_approval_that_was_carried_over_becomes_ones_own(personas: Personas) -> None:
    world = world_with_baseline(personas.alice, {"a": "red", "b": "red"})
    first = world.publish({"a": "blue", "b": "green"}, "feature", target="main")
    decide(personas.alice, first, "approved", shots=["a"])
    again = world.publish({"a": "blue", "b": "white"}, "feature", target="main")
    assert world.shot(again, "a").decision_source == "carried_over"
    assert decide(personas.bob, again, "approved", shots=["a"]).decided == 1
    shot = world.shot(again, "a")
    assert (shot.decided_by_name, shot.decision_source) == ("Bob", "user")


def test_a_rejection_may_be_repeated_with_another_comment(grouped: BuildInReview) -> None:
    world, build = grouped
    for comment, decided in (("First", 1), ("", 0), ("First", 0), ("Second", 1)):
        result = decide(world.persona, build, "rejected", shots=["card--a"], comment=comment)
        assert result.decided == decided
    assert world.shot(build, "card--a").comment == "Second"


def test_the_last_decision_asks_before_it_finalizes(grouped: BuildInReview) -> None:
    world, build = grouped
    decide(world.persona, build, "approved", shots=[*CARDS, "card--d"])
    payload = decision_payload(build, "approved", shots=["menu--a"])
    error = error_of(FinalizeNeededError, world.persona, "decide_screenshots", **payload)
    assert isinstance(error, FinalizeNeededError)
    preview = error.preview
    assert (preview.undecided, preview.version, preview.branch) == (1, 2, "main")
    assert (preview.replaces_build, preview.rolls_back) == (1, False)
    assert world.states(build)["menu--a"] == "changed"
    result = act(world.persona, "decide_screenshots", **payload, confirmed=["finalize"])
    assert (result.finalized, result.version, result.undoable) == (True, 2, False)


def test_the_question_before_the_approval_counts_undecided_removals(personas: Personas) -> None:
    world = world_with_baseline(personas.bob, {"a": "red", "gone--a": "blue", "gone--b": "blue"})
    build = world.publish({"a": "green"})
    payload = decision_payload(build, "approved", shots=["a", "gone--a"])
    error = error_of(FinalizeNeededError, world.persona, "decide_screenshots", **payload)
    assert isinstance(error, FinalizeNeededError)
    assert (error.preview.removed, error.preview.removals_open) == (2, 1)
    # Approved without the question, removals are named before, and accepted after.
    found = act(
        personas.bob,
        "review_screenshot",
        screenshotId=world.shot(build, "gone--a").id,
        state="rejected",
    )
    assert (found.open_screenshots, found.removals_open) == (1, 1)
    result = act(world.persona, "decide_screenshots", **payload, confirmed=["finalize", "override"])
    assert (result.finalized, result.accepted_removals, result.removals_open) == (True, 2, 0)


def test_approving_the_build_asks_about_rejections_first(
    each: BuildInReview, personas: Personas
) -> None:
    world, build = each
    decide(personas.alice, build, "rejected", shots=["other"], comment="Too green")
    decide(world.persona, build, "rejected", shots=["more"])
    payload = decision_payload(build, "approved", build=True)
    error = error_of(OverrideNeededError, world.persona, "decide_screenshots", **payload)
    assert isinstance(error, OverrideNeededError)
    found = [(shot.story_id, shot.decided_by_name, shot.comment) for shot in error.conflicts]
    assert sorted(found) == [("more", "Bob", ""), ("other", "Alice", "Too green")]
    payload["confirmed"] = ["override"]
    second = error_of(FinalizeNeededError, world.persona, "decide_screenshots", **payload)
    assert isinstance(second, FinalizeNeededError)
    assert [(each.by, each.count) for each in second.preview.rejections] == [
        ("Alice", 1),
        ("Bob", 1),
    ]
    payload["confirmed"] = ["finalize", "override"]
    result = act(world.persona, "decide_screenshots", **payload)
    assert (result.decided, result.accepted_removals, result.accepted_failures) == (3, 1, 1)
    # A failed screenshot keeps the earlier entry.
    assert world.baseline() == {"same": "red", "other": "green", "more": "blue", "broken": "white"}


def test_a_newer_decision_of_another_is_asked_about(
    grouped: BuildInReview, personas: Personas, case: Case
) -> None:
    world, build = grouped
    for decision, theirs in (("approved", "rejected"), ("rejected", "approved")):
        for ours in (decision, "cleared"):
            with case((ours, theirs)):
                payload = decision_payload(build, ours, shots=["card--a"])
                decide(personas.alice, build, theirs, shots=["card--a"], comment=f"{ours} {theirs}")
                error = error_of(
                    OverrideNeededError, world.persona, "decide_screenshots", **payload
                )
                assert "Alice" in str(error)
                assert world.shot(build, "card--a").decided_by_name == "Alice"
                act(world.persona, "decide_screenshots", **payload, confirmed=["override"])


def test_a_decision_of_another_that_was_seen_is_replaced(
    grouped: BuildInReview, personas: Personas
) -> None:
    world, build = grouped
    decide(personas.alice, build, "rejected", shots=["card--a"])
    assert decide(world.persona, build, "approved", shots=["card--a"]).decided == 1


def test_who_has_seen_nothing_is_asked_about_every_decision(
    grouped: BuildInReview, personas: Personas
) -> None:
    world, build = grouped
    decide(personas.alice, build, "approved", shots=["card--a"])
    payload = decision_payload(build, "rejected", shots=["card--a"], seen="")
    error_of(OverrideNeededError, world.persona, "decide_screenshots", **payload)


def test_rejected_members_of_a_group_are_asked_about(grouped: BuildInReview) -> None:
    world, build = grouped
    decide(world.persona, build, "rejected", shots=["card--b"])
    payload = decision_payload(build, "approved", groups=[group_with(build, "card--a")])
    error_of(OverrideNeededError, world.persona, "decide_screenshots", **payload)
    result = act(world.persona, "decide_screenshots", **payload, confirmed=["override"])
    assert result.decided == 3


def test_clearing_makes_screenshots_undecided_and_is_logged(grouped: BuildInReview) -> None:
    world, build = grouped
    decide(world.persona, build, "rejected", shots=["card--a"], comment="No")
    result = decide(world.persona, build, "cleared", shots=["card--a", "card--b"])
    assert result.decided == 1
    shot = world.shot(build, "card--a")
    assert (shot.review_decision, shot.comment, shot.decided_at) == ("", "", None)
    log = ReviewEntry.objects.filter(build=build).values_list("decision", flat=True)
    assert list(log) == ["rejected", "cleared"]
    assert AuditEntry.objects.filter(verb="screenshots.cleared", target_id=build.id).exists()


def test_a_rejected_build_is_cleared_as_a_whole(each: BuildInReview) -> None:
    world, build = each
    assert decide(world.persona, build, "rejected", build=True, comment="No").decided == 3
    assert world.fresh(build).review_state == "rejected"
    assert decide(world.persona, build, "cleared", shots=["gone"]).review_state == "rejected"
    assert decide(world.persona, build, "cleared", build=True).review_state == "unreviewed"
    row = world.fresh(build)
    assert (row.decided_by_id, row.decided_at) == ("", None)
    assert {shot.review_decision for shot in build.screenshots.all()} == {""}


def test_nothing_is_cleared_in_an_approved_build(grouped: BuildInReview) -> None:
    world, build = grouped
    world.approve(build)
    payload = decision_payload(build, "cleared", shots=["card--a"])
    error = error_of(ConflictError, world.persona, "decide_screenshots", **payload)
    assert "restore" in str(error)


def test_a_cleared_approval_is_not_carried_over(grouped: BuildInReview) -> None:
    world, build = grouped
    colors = dict.fromkeys(CARDS, "green") | {"card--d": "blue", "menu--a": "white"}
    decide(world.persona, build, "approved", shots=["card--a", "card--b"])
    decide(world.persona, build, "cleared", shots=["card--b"])
    states = world.states(world.publish({"same--a": "red"} | colors))
    assert (states["card--a"], states["card--b"]) == ("changed approved", "changed")


def test_failed_screenshots_are_refused_and_skipped_in_stories(each: BuildInReview) -> None:
    world, build = each
    payload = decision_payload(build, "approved", shots=["broken", "other"])
    error_of(ConflictError, world.persona, "decide_screenshots", **payload)
    assert decide(world.persona, build, "approved", stories=["broken", "other"]).decided == 1


def test_an_unchanged_screenshot_may_be_rejected_without_effect_on_the_build(
    each: BuildInReview,
) -> None:
    world, build = each
    result = decide(world.persona, build, "rejected", shots=["same"])
    assert (result.decided, result.review_state) == (1, "unreviewed")


def test_everything_includes_unchanged_screenshots(each: BuildInReview) -> None:
    world, build = each
    chosen = {"build": True, "includeUnchanged": True, "confirmed": ["finalize"]}
    assert decide(world.persona, build, "approved", **chosen).decided == 4
    assert world.states(build)["same"] == "unchanged approved"


def test_rejecting_the_current_baseline_warns(grouped: BuildInReview) -> None:
    world, build = grouped
    world.approve(build)
    result = decide(world.persona, build, "rejected", shots=["card--a"])
    assert result.review_state == "unreviewed"
    assert "current baseline" in result.warnings[0]


def test_what_does_not_exist_is_refused(grouped: BuildInReview, personas: Personas) -> None:
    world, build = grouped
    group = {"id": group_with(build, "card--a").id, "revision": "0" * 64}
    other = world.publish({"same--a": "blue"}, "other")
    for caller, error, changed in (
        (world.persona, NotFoundError, {"screenshots": [world.shot(other, "same--a").id]}),
        (world.persona, NotFoundError, {"stories": ["none--a"]}),
        (world.persona, ConflictError, {"groups": [group]}),
        (world.persona, NotFoundError, {"buildId": "build_none"}),
        (world.persona, InvalidInputError, {"screenshots": []}),
        (world.persona, InvalidInputError, {"seen": "yesterday"}),
        (personas.mallory, NotFoundError, {}),
        (personas.carol, ForbiddenError, {}),
    ):
        payload = decision_payload(build, "approved", shots=["card--a"]) | changed
        error_of(error, caller, "decide_screenshots", **payload)


def test_a_comment_has_at_most_10_000_characters(grouped: BuildInReview) -> None:
    world, build = grouped
    payload = decision_payload(build, "rejected", shots=["card--a"])
    text = "<script>" + "x" * 9_992
    assert act(world.persona, "decide_screenshots", **payload, comment=text).decided == 1
    assert world.shot(build, "card--a").comment == text
    too_long = {**payload, "comment": "x" * 100_000}
    assert invalid_fields(world.persona, "decide_screenshots", **too_long) == ["/comment"]
    error = error_of(InvalidInputError, world.persona, "decide_screenshots", **too_long)
    assert "100,000 characters" in str(error)
    assert "10,000" in str(error)


def test_only_a_completed_build_is_decided(grouped: BuildInReview) -> None:
    world, build = grouped
    Build.objects.filter(pk=build.pk).update(status="processing")
    payload = decision_payload(build, "approved", shots=["card--a"])
    error_of(ConflictError, world.persona, "decide_screenshots", **payload)
