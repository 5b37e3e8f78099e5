"""The review log's record of images seen by a program before a decision."""

import io
from time import monotonic
from typing import Any

import pytest
from PIL import Image as PILImage

from tests.support.api_reviewers import ALL, agent_of, call, look_at, review
from tests.support.deciding import decide
from tests.support.images import encode_png, page
from tests.support.personas import Personas
from tests.support.statements import counted_statements
from tests.support.worlds import (
    BuildInReview,
    World,
    build_with_each_state,
    png,
    sha256,
)
from visual_review.actions.viewers import viewer_of
from visual_review.audit.models import AuditEntry
from visual_review.builds.models import Build, Image, ImageView, ReviewEntry, Screenshot
from visual_review.builds.reviewing.evidence import (
    View,
    count_unseen,
    describe_images,
    read_evidence,
    record_views,
)


def evidence_of(build: Build, story: str) -> Any:  # noqa: ANN401 - JSON.
    """Return the evidence of the newest entry on the story."""
    entries = ReviewEntry.objects.filter(build=build, story_id=story).order_by("-id")
    return entries.values_list("evidence", flat=True)[0]


CARD = {
    "before": sha256(png("red")),
    "after": sha256(png("green")),
    "form": "composite",
    "scale": 1.0,
    "rectangles": [[0, 0, 10_000, 10_000, 1.0]],
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
    evidence |= {"places": 1, "seen": 1}
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
    seen = {"form": "sheet", "scale": 0.5, "rectangles": [[0, 0, 10_000, 10_000, 0.5]]}
    assert evidence_of(build, "more")["images"] == [seen | {"after": blue}]
    assert evidence_of(build, "gone")["images"] == [seen | {"before": blue}]


def test_the_best_view_of_each_form_is_kept(grouped: BuildInReview, personas: Personas) -> None:
    world, build = grouped
    agent, shot = agent_of(personas.bob), world.shot(build, "card--a")
    viewer = viewer_of(agent)
    record_views(viewer, [View(shot, "sheet", 0.5, ["before"], [ALL]), View(shot, "diff", 1.0, [])])
    record_views(viewer, [View(shot, "sheet", 0.35, ["after"], [ALL])])
    # The same key in another program has looked as well.
    look_at(agent_of(personas.bob, client="Cursor"), shot, form="sheet", scale=0.75)
    review(agent, build, {"state": "rejected", "stories": ["card--a"]})
    shown = [[*CARD["rectangles"][0][:4], scale] for scale in (0.5, 0.35, 0.75)]
    assert evidence_of(build, "card--a")["images"] == [
        {"form": "diff", "scale": 1.0, "rectangles": []},
        CARD | {"form": "sheet", "scale": 0.5, "rectangles": shown[:2]},
        CARD | {"form": "sheet", "scale": 0.75, "rectangles": shown[2:]},
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
    rows = Screenshot.objects.filter(build=build)
    shots = list(rows.select_related("image", "baseline_image", "comparison"))
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
    # A join planned as a nested loop takes minutes.
    assert monotonic() - begun < 20
    assert count_unseen(build) == 1_005


def test_a_look_at_some_of_the_places_is_told_from_one_at_all(personas: Personas) -> None:
    world = World(personas.alice, "acme/places")
    canvas = PILImage.open(io.BytesIO(page(1200, 900, "red", at=(60, 40))))
    canvas.paste("navy", (900, 800, 940, 820))
    build = world.pair(page(1200, 900), encode_png(canvas)).build
    agent = agent_of(personas.bob)

    def look_then_reject(**crop: int) -> Any:  # noqa: ANN401 - JSON.
        call(agent, "get_images", buildId=build.id, form="whole", crop=crop)
        reject = {"state": "rejected", "comment": str(crop)}
        call(agent, "review_screenshot", screenshotId=world.shot(build, "a").id, **reject)
        return read_evidence(evidence_of(build, "a"))

    nothing = look_then_reject(x=61, y=41, width=1, height=1)
    assert (nothing.images, describe_images(nothing)) == ((), "without a look at what changed")
    one = look_then_reject(x=40, y=20, width=200, height=200)
    assert describe_images(one) == "looked at 1 of 2 places"
    both = look_then_reject(x=880, y=780, width=200, height=100)
    assert describe_images(both) == "looked at before and after"
    assert [image["rectangles"] for image in evidence_of(build, "a")["images"]] == [
        [[40, 20, 200, 200, 1.0], [880, 780, 200, 100, 1.0]]
    ]


def test_places_of_another_comparison_of_the_pair_do_not_count(
    grouped: BuildInReview, personas: Personas
) -> None:
    world, build = grouped
    agent, shot = agent_of(personas.bob), world.shot(build, "card--a")
    look_at(agent, shot)
    # As after the dynamic regions of the story changed.
    other = world.shot(build, "card--d").comparison
    Screenshot.objects.filter(pk=shot.pk).update(comparison=other)
    call(agent, "review_screenshot", screenshotId=shot.id, state="rejected")
    assert describe_images(read_evidence(evidence_of(build, "card--a"))) == (
        "looked at 0 of 1 places"
    )
    look_at(agent, world.shot(build, "card--a"))
    call(agent, "review_screenshot", screenshotId=shot.id, state="approved")
    found = read_evidence(evidence_of(build, "card--a"))
    assert describe_images(found) == "looked at before and after"
