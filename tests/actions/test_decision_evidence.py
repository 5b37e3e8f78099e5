"""What the review log keeps of what a program had looked at before it decided."""

from time import monotonic
from typing import Any

import pytest

from tests.support.api_reviewers import agent_of, call, look_at, review
from tests.support.builds_in_review import (
    BuildInReview,
    build_with_each_state,
    build_with_groups,
)
from tests.support.deciding import decide
from tests.support.personas import Personas
from tests.support.statements import counted_statements
from tests.support.worlds import png, sha256
from visual_review.actions.viewers import viewer_of
from visual_review.audit.models import AuditEntry
from visual_review.builds.models import Build, Image, ImageView, ReviewEntry, Screenshot
from visual_review.builds.reviewing.evidence import View, count_unseen, record_views


@pytest.fixture
def grouped(personas: Personas) -> BuildInReview:
    return build_with_groups(personas.bob)


def evidence_of(build: Build, story: str) -> Any:  # noqa: ANN401 - JSON.
    """Return the evidence of the newest entry on the story."""
    entries = ReviewEntry.objects.filter(build=build, story_id=story).order_by("-id")
    return entries.values_list("evidence", flat=True)[0]


CARD = {
    "before": sha256(png("red")),
    "after": sha256(png("green")),
    "form": "composite",
    "scale": 1.0,
}


def test_a_decision_has_the_images_that_the_program_had_fetched(
    grouped: BuildInReview, personas: Personas
) -> None:
    world, build = grouped
    agent = agent_of(personas.bob)
    look_at(agent, world.shot(build, "card--a"))
    shot = world.shot(build, "card--a")
    call(agent, "review_screenshot", screenshotId=shot.id, state="approved")
    evidence = {"client": "Claude Code", "version": "2.1.0", "images": [CARD]}
    assert evidence_of(build, "card--a") == evidence
    entry = AuditEntry.objects.get(verb="screenshot.approved")
    assert entry.after["evidence"] == evidence


def test_every_action_that_decides_keeps_it(personas: Personas) -> None:
    world, build = build_with_each_state(personas.bob)
    agent = agent_of(personas.bob)
    empty = {"client": "Claude Code", "version": "2.1.0", "images": []}
    shot = world.shot(build, "other")
    calls: list[tuple[str, dict[str, Any]]] = [
        ("review_screenshot", {"screenshotId": shot.id, "state": "rejected"}),
        ("approve_story_screenshots", {"buildId": build.id, "storyId": "other"}),
        ("reject_build", {"buildId": build.id}),
        ("approve_build", {"buildId": build.id}),
    ]
    for name, payload in calls:
        call(agent, name, **payload)
        assert evidence_of(build, "other") == empty, name
        entry = AuditEntry.objects.order_by("-id")[0]
        assert entry.after["evidence"]["client"] == "Claude Code", name
    # The entry on the build itself has the program.
    whole = ReviewEntry.objects.filter(build=build, story_id="").order_by("id")
    assert [entry.evidence for entry in whole] == [
        {"client": "Claude Code", "version": "2.1.0"}
    ] * 2
    # No one has to look at an unchanged screenshot.
    call(agent, "approve_all_screenshots", buildId=build.id)
    assert evidence_of(build, "same") is None
    assert count_unseen(build) == 3


def test_people_on_the_pages_have_no_evidence(grouped: BuildInReview, personas: Personas) -> None:
    world, build = grouped
    look_at(agent_of(personas.bob), world.shot(build, "card--a"))
    decide(personas.bob, build, "approved", shots=["card--a"])
    assert evidence_of(build, "card--a") is None
    assert "evidence" not in AuditEntry.objects.get(verb="screenshot.approved").after
    assert count_unseen(build) == 0


def test_another_key_has_not_looked(grouped: BuildInReview, personas: Personas) -> None:
    world, build = grouped
    look_at(agent_of(personas.bob, "key_two"), world.shot(build, "card--a"))
    review(agent_of(personas.bob), build, {"state": "approved", "stories": ["card--a"]})
    assert evidence_of(build, "card--a")["images"] == []
    assert count_unseen(build) == 1


@pytest.mark.parametrize("side", ["baseline_image", "image"])
def test_views_of_an_earlier_pair_do_not_count(
    grouped: BuildInReview, personas: Personas, side: str
) -> None:
    world, build = grouped
    agent = agent_of(personas.bob)
    look_at(agent, world.shot(build, "card--a"))
    other = Image.objects.get(sha256=sha256(png("white")))
    Screenshot.objects.filter(build=build, story_id="card--a").update(**{side: other})
    review(agent, build, {"state": "approved", "stories": ["card--a"]})
    assert evidence_of(build, "card--a")["images"] == []


def test_new_and_removed_ones_have_one_side(personas: Personas) -> None:
    world, build = build_with_each_state(personas.bob)
    agent = agent_of(personas.bob)
    look_at(agent, world.shot(build, "more"), world.shot(build, "gone"), form="sheet", scale=0.5)
    gone = world.shot(build, "gone").id
    review(agent, build, {"state": "rejected", "stories": ["more"], "screenshots": [gone]})
    blue = sha256(png("blue"))
    seen = {"form": "sheet", "scale": 0.5}
    assert evidence_of(build, "more")["images"] == [seen | {"after": blue}]
    assert evidence_of(build, "gone")["images"] == [seen | {"before": blue}]


def test_the_best_view_of_each_form_is_kept(grouped: BuildInReview, personas: Personas) -> None:
    world, build = grouped
    agent, shot = agent_of(personas.bob), world.shot(build, "card--a")
    viewer = viewer_of(agent)
    record_views(viewer, [View(shot, "sheet", 0.5, ["before"]), View(shot, "diff", 1.0, [])])
    record_views(viewer, [View(shot, "sheet", 0.25, ["after"])])
    # The same key in another program has looked as well.
    look_at(agent_of(personas.bob, client="Cursor"), shot, form="sheet", scale=0.75)
    review(agent, build, {"state": "rejected", "stories": ["card--a"]})
    assert evidence_of(build, "card--a")["images"] == [
        {"form": "diff", "scale": 1.0},
        CARD | {"form": "sheet", "scale": 0.75},
    ]
    assert ImageView.objects.count() == 3


def test_a_screenshot_that_is_deleted_meanwhile_gets_no_view(
    grouped: BuildInReview, personas: Personas
) -> None:
    world, build = grouped
    shot = world.shot(build, "card--a")
    ReviewEntry.objects.filter(build=build).delete()
    Screenshot.objects.filter(pk=shot.pk).delete()
    look_at(agent_of(personas.bob), shot, world.shot(build, "card--b"))
    assert ImageView.objects.values_list("screenshot__story_id", flat=True).get() == "card--b"


def test_views_go_with_their_build(grouped: BuildInReview, personas: Personas) -> None:
    world, build = grouped
    look_at(agent_of(personas.bob), world.shot(build, "card--a"))
    Build.objects.get(pk=build.pk).delete()
    assert not ImageView.objects.exists()


def test_views_and_a_decision_are_one_statement_each(
    grouped: BuildInReview, personas: Personas
) -> None:
    _, build = grouped
    agent = agent_of(personas.bob)
    shots = list(Screenshot.objects.filter(build=build))
    with counted_statements() as statements:
        look_at(agent, *shots)
    assert len(statements) == 1
    with counted_statements() as statements:
        call(agent, "reject_build", buildId=build.id)
    assert sum("builds_reviewentry" in str(each) for each in statements) == 1


@pytest.mark.deep
def test_thousands_of_views_do_not_slow_a_decision_down(
    grouped: BuildInReview, personas: Personas
) -> None:
    world, build = grouped
    shot, agent = world.shot(build, "card--a"), agent_of(personas.bob)
    images = {"image_id": shot.image_id, "baseline_image_id": shot.baseline_image_id}
    rows = [
        Screenshot(build=build, story_id=f"more--{number}", diff_state="changed", **images)
        for number in range(12_000)
    ]
    Screenshot.objects.bulk_create(rows)
    look_at(agent, *rows[:11_000])
    begun = monotonic()
    call(agent, "approve_build", buildId=build.id)
    # A join that is planned as a nested loop takes minutes.
    assert monotonic() - begun < 20
    assert count_unseen(build) == 1_005
