"""Details of screenshots, the review log, and responses to strangers."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.case import Case
from tests.support.pages import signed_in
from tests.support.personas import Personas
from tests.support.review_json import get_json
from tests.support.worlds import BuildInReview, World, build_with_each_state
from visual_review.builds.models import Comparison, Screenshot
from visual_review.repositories.models import DynamicRegions

NAMES = ("review.json", "screenshots.json?ids=x", "changes.json?since=1-1-x", "log.json")


@pytest.fixture
def in_review(personas: Personas) -> BuildInReview:
    return build_with_each_state(personas.bob)


def details_url(*shots: Screenshot) -> str:
    ids = ",".join(shot.id for shot in shots)
    return f"/builds/{shots[0].build_id}/screenshots.json?ids={ids}"


def test_images_have_urls_and_sizes(reviewer: Client, in_review: BuildInReview) -> None:
    world, build = in_review
    shots = [world.shot(build, story) for story in ("gone", "other", "more", "broken", "same")]
    found = get_json(reviewer, details_url(*shots))["screenshots"]
    assert [each["id"] for each in found] == [shot.id for shot in shots]
    images = {shot.story_id: each["images"] for shot, each in zip(shots, found, strict=True)}
    exists = {story: [side is not None for side in each.values()] for story, each in images.items()}
    assert exists == {
        "gone": [True, False, False],
        "other": [True, True, True],
        "more": [False, True, False],
        "broken": [True, False, False],
        "same": [False, True, False],
    }
    other = world.shot(build, "other")
    assert other.image
    assert other.comparison
    base = f"/repositories/{world.repository.id}"
    assert images["other"]["after"] == {
        "url": f"{base}/images/{other.image.sha256}.png",
        "width": 4,
        "height": 4,
    }
    assert images["other"]["diff"]["url"] == f"{base}/diffs/{other.comparison.key}.png"


def test_what_changed_comes_as_it_was_measured(reviewer: Client, in_review: BuildInReview) -> None:
    world, build = in_review
    other = world.shot(build, "other")
    change = {"kind": "moved", "x": 1, "y": 2, "width": 3, "height": 1, "pixels": 3}
    Comparison.objects.filter(pk=other.comparison_id).update(
        summary="moved <down>", changes=[change], aligned_ratio=0.25, faint_pixels=7
    )
    note = {"kind": "blank", "text": "The image has one color."}
    Screenshot.objects.filter(pk=other.pk).update(unstable="A canvas kept changing.", notes=[note])
    (found,) = get_json(reviewer, details_url(other))["screenshots"]
    assert (found["summary"], found["changes"]) == ("moved <down>", [change])
    assert (found["alignedRatio"], found["faintPixels"]) == (0.25, 7)
    assert found["unstable"] == "A canvas kept changing."
    assert found["notes"] == ["The image has one color."]
    assert found["flakiness"] == {"captures": 2, "unstable": 1, "varied": 0}
    assert found["boxes"] == [{"x": 0, "y": 0, "width": 4, "height": 4}]


def test_current_dynamic_regions_are_in_pixels(reviewer: Client, in_review: BuildInReview) -> None:
    world, build = in_review
    other = world.shot(build, "other")
    region = {"x": 0.25, "y": 0, "width": 0.5, "height": 1}
    where = {"product": build.product, "theme": other.theme, "device": other.device}
    DynamicRegions.objects.create(story_id="other", regions=[region], **where)
    DynamicRegions.objects.create(story_id="same", regions=[region, region], **where)
    (found,) = get_json(reviewer, details_url(other))["screenshots"]
    assert found["regions"] == [{"x": 1, "y": 0, "width": 2, "height": 4}]


def test_decisions_come_with_their_comment_and_how_many_were_before(
    reviewer: Client, in_review: BuildInReview
) -> None:
    world, build = in_review
    shot = world.shot(build, "other")
    (found,) = get_json(reviewer, details_url(shot))["screenshots"]
    assert (found["decidedBy"], found["decidedAt"], found["earlierDecisions"]) == ("", None, 0)
    world.act("review_screenshot", screenshotId=shot.id, state="approved")
    comment = "Too <b>green</b>\n" + "x" * 5000
    world.act("review_screenshot", screenshotId=shot.id, state="rejected", comment=comment)
    (found,) = get_json(reviewer, details_url(shot))["screenshots"]
    assert (found["comment"], found["decidedBy"], found["earlierDecisions"]) == (comment, "Bob", 1)
    assert found["decidedAt"].endswith("+00:00")


def test_a_carried_over_approval_links_to_where_it_was_made(
    personas: Personas, reviewer: Client
) -> None:
    world = World(personas.bob)
    world.approve(world.publish({"a": "red"}))
    first = world.publish({"a": "green"}, "topic", target="main")
    world.approve(first)
    again = world.publish({"a": "green"}, "topic", target="main")
    (found,) = get_json(reviewer, details_url(world.shot(again, "a")))["screenshots"]
    assert found["carriedFrom"] == f"/builds/{first.id}#{world.shot(first, 'a').id}"
    assert found["carriedFromName"] == "#1 (build #2)"
    first.delete()
    (found,) = get_json(reviewer, details_url(world.shot(again, "a")))["screenshots"]
    assert found["carriedFrom"] is None


def test_a_window_of_details_is_two_queries(reviewer: Client, in_review: BuildInReview) -> None:
    _, build = in_review
    counts = set()
    for number in (1, 5):
        shots = list(Screenshot.objects.filter(build=build)[:number])
        with CaptureQueriesContext(connection) as queries:
            get_json(reviewer, details_url(*shots))
        found = [query["sql"] for query in queries if "builds_screenshot" in query["sql"]]
        assert len(found) == 2
        counts.add(len(queries))
    assert len(counts) == 1


def test_unknown_and_foreign_ids_are_left_out(
    personas: Personas, reviewer: Client, in_review: BuildInReview
) -> None:
    world, build = in_review
    foreign = World(personas.mallory).publish({"a": "red"})
    stranger = Screenshot.objects.get(build=foreign)
    url = f"{details_url(world.shot(build, 'other'))},{stranger.id},shot_x,\u202e,,"
    assert [each["id"] for each in get_json(reviewer, url)["screenshots"]] == [
        world.shot(build, "other").id
    ]


def test_too_many_details_are_refused(reviewer: Client, in_review: BuildInReview) -> None:
    _, build = in_review
    ids = ",".join(f"shot_{number}" for number in range(61))
    response = reviewer.get(f"/builds/{build.id}/screenshots.json?ids={ids}")
    assert response.status_code == 400
    assert "at most 60" in response.json()["error"]


def test_the_log_has_the_newest_entries_first(reviewer: Client, in_review: BuildInReview) -> None:
    world, build = in_review
    shot = world.shot(build, "more")
    world.act("review_screenshot", screenshotId=shot.id, state="rejected", comment="No <i>")
    world.act("reject_build", buildId=build.id)
    entries = get_json(reviewer, f"/builds/{build.id}/log.json")["entries"]
    assert (entries[0]["decision"], entries[0]["storyId"]) == ("rejected", "")
    last = entries[-1]
    expected = {
        "decision": "rejected",
        "by": "Bob",
        "comment": "No <i>",
        "screenshotId": shot.id,
        "storyId": "more",
        "theme": "light",
        "device": "desktop",
    }
    assert {name: last[name] for name in expected} == expected


def test_the_json_of_a_page_never_redirects(
    case: Case, personas: Personas, client: Client, in_review: BuildInReview
) -> None:
    _, build = in_review
    outsider = signed_in(personas.mallory)
    for name in NAMES:
        with case(name):
            url = f"/builds/{build.id}/{name}"
            signed_out = client.get(url)
            assert signed_out.status_code == 401
            assert signed_out.json()["signInUrl"] == "/sign-in"
            assert "no-store" in signed_out["Cache-Control"]
            assert outsider.get(url).status_code == 404
            gone = outsider.get(f"/builds/build_x/{name}")
            assert outsider.get(url).json() == gone.json()
            assert outsider.post(url).status_code == 405
    assert outsider.get(f"/builds/%00/{NAMES[0]}").status_code == 404


def test_flakiness_counts_earlier_captures_of_the_same_product(
    personas: Personas, reviewer: Client
) -> None:
    world = World(personas.bob)
    builds = [world.publish({"a": color}) for color in ("red", "green", "green", "blue")]
    World(personas.mallory).publish({"a": "white"})
    Screenshot.objects.update(source_hash="same")
    shots = [world.shot(build, "a") for build in builds]

    def flakiness(shot: Screenshot) -> object:
        (found,) = get_json(reviewer, details_url(shot))["screenshots"]
        return found["flakiness"]

    assert flakiness(shots[0]) is None
    assert flakiness(shots[3]) == {"captures": 4, "unstable": 0, "varied": 2}
    Screenshot.objects.filter(pk=shots[1].pk).update(inherited=True, unstable="It moved.")
    assert flakiness(shots[2]) == {"captures": 2, "unstable": 0, "varied": 1}
    Screenshot.objects.filter(pk=shots[2].pk).update(source_hash="other", unstable="It moved.")
    assert flakiness(shots[3]) == {"captures": 3, "unstable": 1, "varied": 0}
