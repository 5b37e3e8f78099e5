"""Results of list_builds and get_build over REST: order, fields, limits, images."""

import json
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from tests.support.api_keys import call
from tests.support.case import Case
from tests.support.pages import path_of
from tests.support.personas import Personas
from tests.support.worlds import SIZE, BuildInReview, World, build_with_each_state, png
from visual_review.actions.published.list_builds import ACTION as LIST_BUILDS
from visual_review.api.schemas import Components
from visual_review.builds.models import Build, ReviewEntry
from visual_review.builds.states import PUBLISHED
from visual_review.kernel.clock import now

PICTURES = ("beforeUrl", "afterUrl", "diffUrl")


def result(key: str, action: str, **payload: object) -> dict[str, Any]:
    response = call(key, action, payload)
    assert response.status_code == 200, response.content
    found: dict[str, Any] = json.loads(response.content)["result"]
    return found


def builds(key: str, world: World, **payload: object) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = result(
        key, "list_builds", repoId=world.repository.id, **payload
    )["builds"]
    return listed


@pytest.fixture
def build_in_review(personas: Personas) -> BuildInReview:
    return build_with_each_state(personas.alice)


def shots(key: str, build: Build) -> dict[str, dict[str, Any]]:
    full = result(key, "get_build", buildId=build.id)["build"]
    return {each["storyId"]: each for each in full["screenshots"]}


def bytes_at(link: str) -> bytes:
    response = Client().get(path_of(link))
    assert response.status_code == 200, link
    assert response["Content-Type"] == "image/png"
    assert response["Cache-Control"].startswith("private, max-age=")
    return b"".join(response.streaming_content)  # type: ignore[attr-defined]


def test_builds_come_newest_first_with_the_fields_of_the_interface(
    build_in_review: BuildInReview, key: str
) -> None:
    world, build = build_in_review
    newest, oldest = builds(key, world)
    assert (newest["number"], oldest["number"]) == (2, 1)
    expected = {
        "id": build.id,
        "productKey": "default",
        "branch": "main",
        "commit": "0" * 40,
        "status": "completed",
        "diffCount": 3,
        "reviewState": "unreviewed",
        "decided": None,
    }
    assert expected.items() <= newest.items()
    assert (oldest["reviewState"], oldest["decided"]["source"]) == ("approved", "user")


def test_builds_that_are_not_published_stay_out_of_lists(world: World, key: str) -> None:
    published, expired = world.publish({"a": "red"}), world.upload({"a": "red"})
    world.upload({"a": "red"})
    Build.objects.filter(pk=expired.pk).update(status="expired")
    assert [each["id"] for each in builds(key, world)] == [published.id]


def test_a_product_key_selects_and_an_unknown_one_is_not_found(world: World, key: str) -> None:
    world.publish({"a": "red"})
    docs = world.publish({"a": "red"}, product_key="docs")
    assert [each["id"] for each in builds(key, world, productKey="docs")] == [docs.id]
    assert [each["number"] for each in builds(key, world)] == [2, 1]
    answer = call(key, "list_builds", {"repoId": world.repository.id, "productKey": "none"})
    assert answer.status_code == 404


LIMITS = ((0, 1), (-5, 1), (1, 1), (2, 2), (2.0, 2), (5000, 3), (10.0, 3), (-(2**53) + 1, 1))


def test_a_limit_outside_the_range_is_clamped(case: Case, world: World, key: str) -> None:
    for _ in range(3):
        world.publish({"a": "red"})
    for limit, count in LIMITS:
        with case(limit):
            numbers = [each["number"] for each in builds(key, world, limit=limit)]
            assert numbers == [3, 2, 1][:count]


NO_LIMITS: tuple[object, ...] = ("10", 2**60, -(2**60), 1.5, True, None, [10], 1e300)


def test_an_invalid_limit_is_rejected(case: Case, world: World, key: str) -> None:
    for limit in NO_LIMITS:
        with case(repr(limit)):
            answer = call(key, "list_builds", {"repoId": world.repository.id, "limit": limit})
            assert answer.status_code == 400
            places = {each["pointer"] for each in json.loads(answer.content)["errors"]}
            assert places <= {"/limit", ""}


def test_without_a_limit_25_builds_come(world: World, key: str) -> None:
    first = world.publish({})
    rows = [
        Build(
            repository=world.repository,
            product_id=first.product_id,
            number=number,
            nonce=f"made-{number}",
            branch="main",
            commit="1" * 40,
            status="completed",
            baseline_rule="none",
        )
        for number in range(2, 40)
    ]
    Build.objects.bulk_create(rows)
    assert [each["number"] for each in builds(key, world)] == list(range(39, 14, -1))


def test_what_needs_a_look_comes_first(build_in_review: BuildInReview, key: str) -> None:
    _, build = build_in_review
    found = shots(key, build)
    states = [(story, each["diffState"]) for story, each in found.items()]
    assert states == [
        ("other", "changed"),
        ("more", "new"),
        ("gone", "removed"),
        ("broken", "failed"),
        ("same", "unchanged"),
    ]


def test_each_kind_of_screenshot_has_its_images(build_in_review: BuildInReview, key: str) -> None:
    _, build = build_in_review
    found = shots(key, build)
    carried = {
        story: {name for name in PICTURES if each[name] is not None}
        for story, each in found.items()
    }
    assert carried == {
        "other": set(PICTURES),
        "more": {"afterUrl"},
        "gone": {"beforeUrl"},
        "broken": {"beforeUrl"},
        "same": {"afterUrl"},
    }


def test_the_links_return_exactly_the_images(build_in_review: BuildInReview, key: str) -> None:
    _, build = build_in_review
    found = shots(key, build)
    assert bytes_at(found["other"]["beforeUrl"]) == png("red")
    assert bytes_at(found["other"]["afterUrl"]) == png("green")
    assert bytes_at(found["other"]["diffUrl"]).startswith(b"\x89PNG")
    assert bytes_at(found["gone"]["beforeUrl"]) == png("blue")
    assert bytes_at(found["same"]["afterUrl"]) == png("red")


def test_a_link_changed_by_a_letter_gives_nothing(build_in_review: BuildInReview, key: str) -> None:
    _, build = build_in_review
    link = path_of(shots(key, build)["same"]["afterUrl"])
    end = "0" if link[-1] != "0" else "1"
    assert Client().get(link[:-1] + end).status_code == 403
    assert Client().put(link, png("blue"), "image/png").status_code == 403


def test_a_full_build_shows_what_it_was_compared_with_and_its_counts(
    build_in_review: BuildInReview, key: str
) -> None:
    _, build = build_in_review
    full = result(key, "get_build", buildId=build.id)["build"]
    assert full["baseline"] == {"rule": "own_branch", "branch": "main", "move": 1}
    assert full["counts"] == {
        "changed": 1,
        "new": 1,
        "removed": 1,
        "failed": 1,
        "unchanged": 1,
        "inherited": 0,
    }
    assert full["matrix"] == [{"theme": "light", "device": "desktop"}]
    assert full["screenshots"][0]["diffRatio"] == 1
    assert full["screenshots"][3]["message"] == "It threw."


def test_more_builds_and_screenshots_need_no_more_questions_to_the_database(
    world: World, key: str, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    world.approve(world.publish({"a": "red"}))
    small = world.publish({"a": "green"})
    # The first use of a key is noted, the next ones are not.
    builds(key, world)
    with CaptureQueriesContext(connection) as listing:
        builds(key, world)
    with CaptureQueriesContext(connection) as one:
        shots(key, small)
    world.approve(small)
    large = world.publish({f"s-{number}": "green" for number in range(20)} | {"a": "blue"})
    with django_assert_num_queries(len(listing)):
        builds(key, world)
    with django_assert_num_queries(len(one)):
        shots(key, large)


def full(key: str, build: Build) -> dict[str, Any]:
    found: dict[str, Any] = result(key, "get_build", buildId=build.id)["build"]
    return found


def shot(key: str, build: Build, story: str) -> dict[str, Any]:
    return next(each for each in full(key, build)["screenshots"] if each["storyId"] == story)


def decide(world: World, build: Build, story: str, state: str, **more: object) -> None:
    world.act("review_screenshot", screenshotId=world.shot(build, story).id, state=state, **more)


def earlier(row: dict[str, Any]) -> tuple[str | None, str | None, int]:
    """Return the current comment, the earlier one, and the number of earlier decisions."""
    last = row["earlierComment"]
    return row["comment"], last and last["comment"], row["earlierDecisions"]


def test_a_build_names_its_repository_and_product(world: World, key: str) -> None:
    found = full(key, world.publish({"a": "red"}, product_key="docs"))
    assert (found["repoId"], found["productKey"]) == (world.repository.id, "docs")


def test_each_image_has_its_size(personas: Personas, key: str) -> None:
    _, build = build_with_each_state(personas.alice)
    size = {"width": SIZE, "height": SIZE}
    sizes = {
        each["storyId"]: (each["beforeSize"], each["afterSize"])
        for each in full(key, build)["screenshots"]
    }
    assert sizes == {
        "other": (size, size),
        "more": (None, size),
        "gone": (size, None),
        "broken": (size, None),
        "same": (None, size),
    }


def test_the_counts_by_state_and_decision_are_those_of_the_screenshots(
    personas: Personas, key: str
) -> None:
    world, build = build_with_each_state(personas.alice)
    decide(world, build, "other", "rejected")
    decide(world, build, "gone", "approved")
    assert full(key, build)["decisionCounts"] == [
        {"diffState": "changed", "decision": "rejected", "count": 1},
        {"diffState": "new", "decision": None, "count": 1},
        {"diffState": "removed", "decision": "approved", "count": 1},
        {"diffState": "failed", "decision": None, "count": 1},
        {"diffState": "unchanged", "decision": None, "count": 1},
    ]


def test_the_current_regions_of_the_builds_variants_are_listed(world: World, key: str) -> None:
    build = world.publish({"a": "red", "b": "red"})
    assert full(key, build)["dynamicRegions"] == []
    regions = [{"x": 0.25, "y": 0, "width": 0.5, "height": 1}]
    for story, device in (("b", "desktop"), ("b", "phone"), ("unknown", "desktop")):
        payload = {"storyId": story, "theme": "light", "device": device, "regions": regions}
        result(key, "set_dynamic_regions", repoId=world.repository.id, **payload)
    # Also for a build decided before.
    world.approve(build)
    assert full(key, build)["dynamicRegions"] == [
        {"storyId": "b", "variant": {"theme": "light", "device": "desktop"}, "regions": regions}
    ]


def test_the_links_work_at_least_as_long_as_the_build_says(world: World, key: str) -> None:
    build = world.publish({"a": "red"})
    found = full(key, build)
    promised = datetime.fromisoformat(found["linksExpireAt"])
    [link] = [each["afterUrl"] for each in found["screenshots"]]
    expires = int(parse_qs(urlsplit(link).query)["expires"][0])
    assert now() < promised <= datetime.fromtimestamp(expires, promised.tzinfo)
    assert promised > now() + timedelta(minutes=50)


def test_an_approval_leaves_the_comment_of_the_rejection_readable(world: World, key: str) -> None:
    build = world.publish({"a": "red", "b": "red"})
    assert earlier(shot(key, build, "a")) == (None, None, 0)
    decide(world, build, "a", "rejected", comment="Too red")
    assert earlier(shot(key, build, "a")) == ("Too red", None, 0)
    decide(world, build, "a", "approved")
    approved = shot(key, build, "a")
    assert earlier(approved) == (None, "Too red", 1)
    last = approved["earlierComment"]
    assert (last["decision"], last["decided"]["name"]) == ("rejected", "Alice")
    decide(world, build, "a", "rejected", comment="Still")
    decide(world, build, "a", "rejected", comment="Really")
    assert earlier(shot(key, build, "a")) == ("Really", "Still", 3)
    # Of the other screenshot, nothing changed.
    assert earlier(shot(key, build, "b")) == (None, None, 0)


def test_a_single_decision_that_no_longer_holds_is_an_earlier_one(world: World, key: str) -> None:
    build = world.publish({"a": "red", "b": "red"})
    decide(world, build, "a", "rejected")
    # As after a change of the base branch: decisions are cleared without an entry.
    cleared = {"review_decision": "", "decision_source": "", "decided_at": None}
    build.screenshots.filter(story_id="a").update(**cleared)
    assert shot(key, build, "a")["earlierDecisions"] == 1
    # The log stays when the screenshot is replaced.
    ReviewEntry.objects.filter(build=build).update(screenshot=None)
    assert shot(key, build, "a")["earlierDecisions"] == 1


def test_lists_say_whether_there_are_more(case: Case, world: World, key: str) -> None:
    for _ in range(2):
        world.publish({"a": "red"})
    for limit, more in ((1, True), (2, False), (3, False), (5000, False)):
        with case(limit):
            listed = result(key, "list_builds", repoId=world.repository.id, limit=limit)
            assert (len(listed["builds"]), listed["more"]) == (min(limit, 2), more)
    with case("list_repos"):
        assert result(key, "list_repos")["more"] is False
    with case("list_recordings"):
        listed = result(key, "list_recordings", repoId=world.repository.id)
        assert listed == {"recordings": [], "more": False}


def test_list_builds_offers_only_the_statuses_that_it_lists() -> None:
    components = Components()
    components.add_result(LIST_BUILDS)
    status = components.schemas["Build"]["properties"]["status"]
    offered = components.resolve({"$ref": status["$ref"]})
    assert offered["enum"] == list(PUBLISHED) == ["processing", "completed", "failed"]
