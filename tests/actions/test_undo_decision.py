"""Undoing a decision: everything is as before, or the caller gets the reason."""

from importlib import import_module
from typing import Any

from django.apps import apps
from django.db import connection

from tests.support.action_calls import act, error_of
from tests.support.deciding import build_row, decide, decided_rows, group_with, undo
from tests.support.personas import Persona, Personas
from tests.support.worlds import (
    BuildInReview,
    World,
    build_with_each_state,
    build_with_groups,
)
from visual_review.audit.models import AuditEntry
from visual_review.builds.comparing.base_branch_change import apply_base_branch_change
from visual_review.builds.models import Build, DecisionBatch, PullRequest, ReviewEntry
from visual_review.kernel.errors import ConflictError, ForbiddenError, NotFoundError


def refused(persona: Persona, build: Build, decision: Any) -> str:  # noqa: ANN401 - A result.
    """Return why the undo is not possible."""
    before = decided_rows(build), build_row(build)
    error = error_of(
        ConflictError,
        persona,
        "undo_decision",
        buildId=build.id,
        decisionId=decision.decision_id,
        requestId="undo",
    )
    assert (decided_rows(build), build_row(build)) == before
    return str(error)


def test_it_restores_deciders_comments_times_and_links(personas: Personas) -> None:
    world, first = build_with_groups(personas.bob)
    decide(personas.alice, first, "approved", shots=["card--a"])
    colors = dict.fromkeys(("card--a", "card--b", "card--c"), "green")
    build = world.publish({"same--a": "red", "card--d": "blue", "menu--a": "white"} | colors)
    decide(personas.alice, build, "rejected", shots=["card--b"], comment="Too green")
    before = decided_rows(build), build_row(build)
    assert before[0]["card--a"]["carried_from_id"]
    done = decide(world.persona, build, "rejected", build=True, comment="All wrong")
    assert world.fresh(build).review_state == "rejected"
    result = undo(world.persona, build, done.decision_id)
    assert (result.decided, result.review_state, result.undoable) == (4, "unreviewed", False)
    assert (decided_rows(build), build_row(build)) == before


def marks(build: Build) -> list[tuple[str, int | None]]:
    entries = ReviewEntry.objects.filter(build=build).order_by("id")
    return list(entries.values_list("decision", "undone_by"))


def test_the_log_marks_what_is_undone_as_the_migration_does(grouped: BuildInReview) -> None:
    world, build = grouped
    decide(world.persona, build, "rejected", shots=["card--a"])
    done = decide(world.persona, build, "rejected", build=True, comment="All wrong")
    undo(world.persona, build, done.decision_id)
    marked = marks(build)
    number = sum(1 for _, undone_by in marked if undone_by)
    assert number == sum(1 for decision, _ in marked if decision == "undone") == done.decided + 1
    # Of the screenshots, the first decision stands.
    assert marked[0] == ("rejected", None)
    ReviewEntry.objects.update(undone_by=None)
    migration = import_module("visual_review.builds.migrations.0003_undone_entries")
    with connection.schema_editor() as editor:
        migration.mark_undone_entries(apps, editor)
    assert marks(build) == marked


def test_each_kind_of_decision_is_undone(grouped: BuildInReview) -> None:
    world, build = grouped
    chosen = {"shots": ["card--d"], "groups": [group_with(build, "card--a")]}
    for decision in ("approved", "rejected", "cleared"):
        decide(world.persona, build, "rejected", shots=["card--b"], comment="No")
        before = decided_rows(build)
        confirmed = ["override"]
        done = decide(world.persona, build, decision, **chosen, confirmed=confirmed, comment="x")
        assert decided_rows(build) != before
        undo(world.persona, build, done.decision_id)
        assert decided_rows(build) == before
        decide(world.persona, build, "cleared", build=True)


def test_a_rejected_build_without_differences_is_undone(personas: Personas) -> None:
    world = World(personas.bob)
    build = world.publish({"a": "error"})
    before = build_row(build)
    done = decide(world.persona, build, "rejected", build=True)
    assert (done.decided, done.review_state, done.undoable) == (0, "rejected", True)
    undo(world.persona, build, done.decision_id)
    assert build_row(build) == before


def test_an_undone_clearing_of_a_rejected_build_restores_its_decider(personas: Personas) -> None:
    world, build = build_with_each_state(personas.bob)
    decide(personas.alice, build, "rejected", build=True, comment="No")
    before = decided_rows(build), build_row(build)
    done = decide(world.persona, build, "cleared", build=True)
    assert world.fresh(build).review_state == "unreviewed"
    undo(world.persona, build, done.decision_id)
    assert (decided_rows(build), build_row(build)) == before


def test_it_is_in_the_review_log_and_the_audit_log(grouped: BuildInReview) -> None:
    world, build = grouped
    done = decide(world.persona, build, "approved", shots=["card--a"])
    undo(world.persona, build, done.decision_id)
    log = ReviewEntry.objects.filter(build=build).values_list("decision", "decided_by_name")
    assert list(log) == [("approved", "Bob"), ("undone", "Bob")]
    entry = AuditEntry.objects.get(verb="decision.undone")
    assert (entry.target_id, entry.after["undone"]) == (build.id, done.decision_id)


def test_the_same_request_has_one_effect(grouped: BuildInReview) -> None:
    world, build = grouped
    done = decide(world.persona, build, "approved", shots=["card--a"])
    results = [undo(world.persona, build, done.decision_id, "once") for _ in range(2)]
    assert results[0] == results[1]
    assert ReviewEntry.objects.filter(build=build).count() == 2
    assert refused(world.persona, build, done) == "This decision is already undone."


def test_decisions_are_undone_one_after_the_other(grouped: BuildInReview) -> None:
    world, build = grouped
    rows, done = [], []
    for decision in ("approved", "rejected", "cleared", "approved"):
        rows.append(decided_rows(build))
        done.append(decide(world.persona, build, decision, shots=["card--a"]))
    assert "newer decision first" in refused(world.persona, build, done[0])
    while done:
        undo(world.persona, build, done.pop().decision_id)
        assert decided_rows(build) == rows.pop()


def test_it_is_refused_after_someone_else_decided(
    grouped: BuildInReview, personas: Personas
) -> None:
    world, build = grouped
    done = decide(world.persona, build, "approved", shots=["card--a", "card--b"])
    theirs = decide(personas.alice, build, "rejected", shots=["card--b"])
    assert "Alice decided this since" in refused(world.persona, build, done)
    undo(personas.alice, build, theirs.decision_id)
    assert undo(world.persona, build, done.decision_id).decided == 2


def test_it_is_refused_after_a_program_decided(grouped: BuildInReview, personas: Personas) -> None:
    world, build = grouped
    done = decide(world.persona, build, "approved", shots=["card--a"])
    shot = world.shot(build, "card--a")
    act(personas.alice, "review_screenshot", screenshotId=shot.id, state="approved")
    assert "Alice" in refused(world.persona, build, done)


def test_decisions_elsewhere_do_not_matter(grouped: BuildInReview, personas: Personas) -> None:
    world, build = grouped
    done = decide(world.persona, build, "approved", shots=["card--a"])
    decide(personas.alice, build, "approved", shots=["card--b"])
    undo(world.persona, build, done.decision_id)
    assert world.states(build)["card--b"] == "changed approved"


def test_only_the_decider_may_undo(grouped: BuildInReview, personas: Personas) -> None:
    world, build = grouped
    done = decide(world.persona, build, "approved", shots=["card--a"])
    assert "Only who made" in refused(personas.alice, build, done)


def test_an_approved_build_stays_so(grouped: BuildInReview) -> None:
    world, build = grouped
    done = decide(world.persona, build, "approved", shots=["card--a"])
    last = decide(world.persona, build, "approved", build=True, confirmed=["finalize"])
    for each in (done, last):
        assert "restore an earlier version" in refused(world.persona, build, each)


def test_an_undo_never_approves_a_build(grouped: BuildInReview, personas: Personas) -> None:
    world, build = grouped
    decide(personas.alice, build, "approved", shots=["card--a"])
    done = decide(world.persona, build, "rejected", shots=["card--a"])
    others = ["card--b", "card--c", "card--d", "menu--a"]
    assert not decide(personas.alice, build, "approved", shots=others).finalized
    assert "only an approval" in refused(world.persona, build, done)


def test_a_reopened_build_is_not_approved_by_an_undo(grouped: BuildInReview) -> None:
    world, build = grouped
    world.approve(build)
    done = decide(world.persona, build, "rejected", shots=["card--a"])
    assert "only an approval" in refused(world.persona, build, done)


def test_an_undone_approval_is_not_carried_over(grouped: BuildInReview) -> None:
    world, build = grouped
    done = decide(world.persona, build, "approved", shots=["card--a"])
    undo(world.persona, build, done.decision_id)
    colors = dict.fromkeys(("card--a", "card--b", "card--c"), "green")
    later = world.publish({"same--a": "red", "card--d": "blue", "menu--a": "white"} | colors)
    assert world.states(later)["card--a"] == "changed"


def test_an_undone_rejection_leaves_the_earlier_approval(
    grouped: BuildInReview, personas: Personas
) -> None:
    world, build = grouped
    decide(personas.alice, build, "approved", shots=["card--a"])
    done = decide(world.persona, build, "rejected", shots=["card--a"])
    undo(world.persona, build, done.decision_id)
    colors = dict.fromkeys(("card--a", "card--b", "card--c"), "green")
    later = world.publish({"same--a": "red", "card--d": "blue", "menu--a": "white"} | colors)
    assert world.states(later)["card--a"] == "changed approved"


def test_a_decision_on_other_images_is_not_undone(grouped: BuildInReview) -> None:
    world, _ = grouped
    release = world.publish({"card--a": "blue"}, "release")
    world.approve(release)
    pull = world.publish({"card--a": "green", "card--b": "green"}, "topic", target="main")
    done = decide(world.persona, pull, "rejected", shots=["card--a", "card--b"])
    row = PullRequest.objects.get(repository=world.repository, number=1)
    row.base_branch = "release"
    row.save()
    apply_base_branch_change(row)
    pull = world.process(pull)
    assert "compared again" in refused(world.persona, pull, done)


def test_unknown_decisions_and_callers_are_refused(
    grouped: BuildInReview, personas: Personas
) -> None:
    world, build = grouped
    done = decide(world.persona, build, "approved", shots=["card--a"])
    other = world.publish({"same--a": "blue"}, "other")
    wanted = {"buildId": build.id, "requestId": "undo", "decisionId": done.decision_id}
    for caller, error, changed in (
        (world.persona, NotFoundError, {"decisionId": "decision_none"}),
        (world.persona, NotFoundError, {"buildId": other.id}),
        (personas.mallory, NotFoundError, {}),
        (personas.carol, ForbiddenError, {}),
    ):
        error_of(error, caller, "undo_decision", **wanted | changed)
    assert DecisionBatch.objects.count() == 1
