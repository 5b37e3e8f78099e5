"""What get_build says next to the screenshots: ids, sizes, regions, counts, comments, expiry."""

import json
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.support.api_keys import call
from tests.support.case import Case
from tests.support.personas import Personas
from tests.support.worlds import SIZE, World, build_with_each_state
from visual_review.actions.published.list_builds import ACTION as LIST_BUILDS
from visual_review.api.schemas import Components
from visual_review.builds.models import Build, ReviewEntry
from visual_review.builds.states import PUBLISHED
from visual_review.kernel.clock import now


def result(key: str, action: str, **payload: object) -> dict[str, Any]:
    response = call(key, action, payload)
    assert response.status_code == 200, response.content
    found: dict[str, Any] = json.loads(response.content)["result"]
    return found


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
    # Also for a build that was decided before.
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
    # As after the base branch changed, which clears decisions without an entry.
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
