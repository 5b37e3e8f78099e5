"""What changed on a build's review page since a cursor: every decision, and when to load it again."""

from collections.abc import Callable

import pytest
from django.test import Client

from tests.support.case import Case
from tests.support.hosted_world import NAME, world_with_pull_request
from tests.support.personas import Personas
from tests.support.review_json import get_json, read_changes, read_index
from tests.support.worlds import BuildInReview, World, build_with_each_state
from visual_review.builds.comparing.complete import complete_recomparison
from visual_review.builds.comparing.measure import remeasure_build
from visual_review.builds.cursors import cursor_of, read_cursors
from visual_review.builds.models import Build


@pytest.fixture
def in_review(personas: Personas) -> BuildInReview:
    return build_with_each_state(personas.bob)


def compare_again(build: Build) -> None:
    row = Build.objects.select_related("repository", "product").get(pk=build.pk)
    complete_recomparison(row.id, remeasure_build(row))


def test_without_a_change_there_are_no_rows(reviewer: Client, in_review: BuildInReview) -> None:
    _, build = in_review
    index = read_index(reviewer, build)
    changes = read_changes(reviewer, build, index.cursor)
    assert (changes.rows, changes.cursor) == ([], index.cursor)
    assert changes.body["build"] == index.body["build"]
    assert changes.body["groups"] == index.body["groups"]


def test_decided_screenshots_come_once_with_who_decided(
    reviewer: Client, in_review: BuildInReview
) -> None:
    world, build = in_review
    before = read_index(reviewer, build)
    shot = world.shot(build, "more").id
    for state in ("rejected", "approved"):
        world.act("review_screenshot", screenshotId=shot, state=state)
    changes = read_changes(reviewer, build, before.cursor)
    assert [(row["id"], row["decision"], row["person"]) for row in changes.rows] == [
        (shot, 1, "Bob"),
    ]
    assert changes.cursor != before.cursor
    assert read_changes(reviewer, build, changes.cursor).rows == []
    assert read_index(reviewer, build).row("more") == changes.row("more")


def test_an_approved_build_comes_with_all_its_rows(
    reviewer: Client, in_review: BuildInReview
) -> None:
    world, build = in_review
    before = read_index(reviewer, build)
    world.act("approve_all_screenshots", buildId=build.id)
    changes = read_changes(reviewer, build, before.cursor)
    assert {row["story"]: row["decision"] for row in changes.rows} == {
        "other": 1,
        "more": 1,
        "gone": 1,
        "same": 1,
    }
    assert changes.body["build"]["reviewState"] == "approved"
    assert changes.body["build"]["decidedBy"] == "Bob"


def test_the_page_is_loaded_again_after_a_comparison(
    reviewer: Client, in_review: BuildInReview
) -> None:
    _, build = in_review
    before = read_index(reviewer, build)
    compare_again(build)
    url = f"/builds/{build.id}/changes.json?since={before.cursor}"
    assert get_json(reviewer, url) == {"reload": True}


def test_a_build_fills_itself_when_its_comparison_is_done(
    personas: Personas, reviewer: Client
) -> None:
    world = World(personas.bob)
    build = world.upload({"a": "red"})
    before = read_index(reviewer, build)
    world.finish(build)
    url = f"/builds/{build.id}/changes.json?since={before.cursor}"
    assert get_json(reviewer, url) == {"reload": True}


def test_every_change_of_the_page_changes_the_cursor(
    case: Case, personas: Personas, in_review: BuildInReview
) -> None:
    world, build = in_review
    more = world.shot(build, "more").id
    changes: dict[str, Callable[[], object]] = {
        "approved": lambda: world.act("review_screenshot", screenshotId=more, state="approved"),
        "rejected": lambda: world.act("review_screenshot", screenshotId=more, state="rejected"),
        "the same again": lambda: world.act(
            "review_screenshot", screenshotId=more, state="rejected"
        ),
        "compared again": lambda: compare_again(build),
        "superseded": lambda: world.publish({"same": "red"}),
        "rejected build": lambda: world.act("reject_build", buildId=build.id),
        "approved build": lambda: world.approve(build),
    }
    seen = {str(cursor_of(build.id))}
    for name, change in changes.items():
        with case(name):
            change()
            assert str(cursor_of(build.id)) not in seen
        seen.add(str(cursor_of(build.id)))
    # Of another build, nothing changes.
    other = World(personas.bob, "acme/other").publish({"a": "red"})
    before = cursor_of(build.id)
    world.approve(other)
    assert cursor_of(build.id) == before


def test_a_changed_base_branch_changes_the_cursor(personas: Personas) -> None:
    world = world_with_pull_request(personas.bob)
    build = world.publish_change({"a": "red", "same": "blue"})
    before = cursor_of(build.id)
    world.host.change_base_branch(NAME, 1, "release")
    world.deliver_webhooks()
    after = cursor_of(build.id)
    assert after.revision > before.revision


def test_the_cursors_of_many_builds_are_one_query(
    personas: Personas, in_review: BuildInReview, django_assert_num_queries: Callable[[int], object]
) -> None:
    _, build = in_review
    other = World(personas.bob, "acme/other").publish({"a": "red"})
    with django_assert_num_queries(1):  # type: ignore[attr-defined]
        found = read_cursors([build.id, other.id, "build_gone"])
    assert found == {build.id: cursor_of(build.id), other.id: cursor_of(other.id)}


def test_a_cursor_of_nowhere_is_refused(
    case: Case, reviewer: Client, in_review: BuildInReview
) -> None:
    _, build = in_review
    for text in ("", "1", "1-", "a-b-c", "-1-2-3", "9" * 40 + "-1-x", "\u0661-1-x", "1" * 9000):
        with case(f"{text!r:.30}"):
            response = reviewer.get(f"/builds/{build.id}/changes.json", {"since": text})
            assert response.status_code == 400
            assert "is not a cursor" in response.json()["error"]
