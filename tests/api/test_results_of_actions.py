"""Results of list_builds and get_build over REST: order, fields, limits, and images that load."""

import json
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from tests.support.api_keys import call
from tests.support.case import Case
from tests.support.pages import path_of
from tests.support.personas import Personas
from tests.support.worlds import BuildInReview, World, build_with_each_state, png
from visual_review.builds.models import Build

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
    small = world.publish({"a": "red"})
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
