"""Whose approval was carried over, and from where, is named wherever the decision is shown."""

import json
from typing import Any

import pytest

from tests.support.api_keys import call, user_key
from tests.support.carried_over import NEWER, SHOTS, CarriedOverBuild, carry_over
from tests.support.case import Case
from tests.support.hosted_world import hosted_world
from tests.support.pages import signed_in, text_of
from tests.support.personas import Persona, Personas
from tests.support.worlds import World
from visual_review.accounts.callers import Caller
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import any_action
from visual_review.audit.models import AuditEntry
from visual_review.builds.models import Baseline, BaselineVersion, Build, ReviewEntry, Screenshot


@pytest.fixture
def carried(personas: Personas) -> CarriedOverBuild:
    return carry_over(personas.bob)


def result(persona: Persona, action: str, **payload: object) -> dict[str, Any]:
    response = call(user_key(persona), action, payload)
    assert response.status_code == 200, response.content
    found: dict[str, Any] = json.loads(response.content)["result"]
    return found


def full(carried: CarriedOverBuild, build: Build | None = None) -> dict[str, Any]:
    found = result(carried.world.persona, "get_build", buildId=(build or carried.build).id)
    return dict(found["build"])


def approve_as(caller: Caller, build: Build, story: str) -> None:
    shot = Screenshot.objects.get(build=build, story_id=story)
    dispatch(
        any_action("review_screenshot"), caller, {"screenshotId": shot.id, "state": "approved"}
    )


def test_results_name_the_person_the_build_and_the_pull_request(carried: CarriedOverBuild) -> None:
    build = full(carried)
    shot = next(each for each in build["screenshots"] if each["storyId"] == "a")
    origin = {"buildId": carried.first.id, "buildNumber": 2, "pullRequest": 1}
    assert (shot["decided"]["name"], shot["decided"]["source"]) == ("Bob", "carried_over")
    approved = carried.shot(carried.first).id
    assert shot["decided"]["carriedOverFrom"] == {**origin, "screenshotId": approved}
    assert (build["decided"]["name"], build["decided"]["source"]) == ("Bob", "carried_over")
    assert origin.items() <= build["decided"]["carriedOverFrom"].items()
    listed = result(carried.world.persona, "list_builds", repoId=carried.world.repository.id)[
        "builds"
    ]
    # Lists name the person; where the approval was made is in get_build.
    assert listed[0]["decided"].items() <= build["decided"].items()
    first = full(carried, carried.first)
    assert first["decided"]["carriedOverFrom"] is None
    assert first["screenshots"][0]["decided"]["carriedOverFrom"] is None


def test_pages_name_them_and_link_to_the_approval(carried: CarriedOverBuild) -> None:
    client = signed_in(carried.world.persona)
    origin = "#1 (build #2)</a>"
    page = text_of(client, f"/builds/{carried.build.id}")
    assert "approved by Bob, carried over from earlier decisions: <a href=" in page
    assert origin in page
    history = text_of(client, f"/baselines/{Baseline.objects.get(branch='other').id}")
    assert "<span>Bob</span>" in history


def test_the_status_and_the_comment_name_them(carried: CarriedOverBuild) -> None:
    world = carried.world
    world.notify()
    assert world.description("visual-review", NEWER) == (
        "Approved by Bob in #1 (build #2), carried over: 2 changed"
    )
    [comment] = world.comments(2)
    assert (
        "2 approvals were carried over: the same change was approved before, by `Bob` in "
        "pull request 1, [build 2](http" in comment
    )
    assert f"/builds/{carried.first.id})." in comment


def test_the_audit_log_and_the_review_log_name_them(carried: CarriedOverBuild) -> None:
    entry = AuditEntry.objects.get(target_id=carried.build.id, verb="build.approved")
    assert entry.after == {"state": "carried_over", "approvals": ["Bob in #1 (build #2): 2"]}
    logged = ReviewEntry.objects.filter(build=carried.build).values_list("decided_by_name")
    assert list(logged) == [("Bob",), ("Bob",)]


def test_approvals_of_several_people_are_all_named(personas: Personas) -> None:
    world = hosted_world(personas.bob)
    world.approve(world.publish({"a": "red", "b": "red"}))
    first = world.publish({"a": "blue", "b": "red"}, "feature", target="main")
    world.approve(first)
    second = world.publish({"a": "red", "b": "blue"}, "other", target="main", number=2)
    approve_as(personas.alice.caller.through("mcp", "Claude Code"), second, "b")
    build = world.publish(SHOTS, "third", target="main", number=3, commit=NEWER)
    assert build.decision_source == "carried_over"
    world.notify()
    assert world.description("visual-review", NEWER) == (
        "Approved by Alice and Bob in earlier builds, carried over: 2 changed"
    )
    page = text_of(signed_in(personas.bob), f"/builds/{build.id}")
    assert "approved by Alice and Bob, carried over from earlier decisions: " in page
    assert "<bdi>Alice</bdi> in <a href=" in page
    decided = full(CarriedOverBuild(world, first, build))["decided"]
    assert (decided["name"], decided["client"]) == ("Alice and Bob", None)
    # The newest approval.
    assert decided["carriedOverFrom"]["buildNumber"] == 3


def test_the_page_counts_the_approvals_that_it_does_not_name(personas: Personas) -> None:
    world = hosted_world(personas.bob)
    stories = "abcdefg"
    world.approve(world.publish(dict.fromkeys(stories, "red")))
    first = world.publish(dict.fromkeys(stories, "blue"), "feature", target="main")
    for story in stories:
        approve_as(personas.alice.caller.through("mcp", f"Client {story}"), first, story)
    build = world.publish(dict.fromkeys(stories, "blue"), "other", target="main", number=2)
    page = text_of(signed_in(personas.bob), f"/builds/{build.id}")
    assert page.count("<bdi>Alice</bdi> in <a href=") == 5
    assert "#1 (build #2)</a>, and 2 more, " in page


def test_an_approval_carried_over_again_names_the_original(carried: CarriedOverBuild) -> None:
    again = carried.world.publish(SHOTS, "other", target="main", number=2)
    [shot] = [each for each in full(carried, again)["screenshots"] if each["storyId"] == "a"]
    assert shot["decided"]["carriedOverFrom"]["buildId"] == carried.first.id
    # As when the pull request's base branch changes: the approval is logged as the build's own.
    ReviewEntry.objects.filter(build=carried.build).update(source="retargeted")
    third = carried.world.publish(SHOTS, "other", target="main", number=2)
    assert third.decision_source == "carried_over"
    [shot] = [each for each in full(carried, third)["screenshots"] if each["storyId"] == "a"]
    assert shot["decided"]["carriedOverFrom"]["buildId"] == carried.first.id


def test_the_person_stays_when_the_build_is_deleted(carried: CarriedOverBuild) -> None:
    carried.first.delete()
    build = full(carried)
    for decided in (build["decided"], build["screenshots"][0]["decided"]):
        assert (decided["name"], decided["carriedOverFrom"]) == ("Bob", None)
    carried.world.notify()
    description = carried.world.description("visual-review", NEWER)
    assert description == "Approved by Bob in a deleted build, carried over: 2 changed"
    assert "by `Bob` in a build that was deleted." in carried.world.comments(2)[0]
    page = text_of(signed_in(carried.world.persona), f"/builds/{carried.build.id}")
    assert "carried over from earlier decisions: a deleted build, " in page


def test_no_decider_is_ever_empty(carried: CarriedOverBuild) -> None:
    """Rows of earlier versions have no name for a build whose approvals were carried over."""
    for rows, name in (
        (Build.objects.all(), "decided_by_name"),
        (Screenshot.objects.all(), "decided_by_name"),
        (ReviewEntry.objects.all(), "decided_by_name"),
        (BaselineVersion.objects.all(), "created_by_name"),
    ):
        rows.update(**{name: ""})
    build = full(carried)
    assert build["decided"]["name"] == "Visual Review"
    assert build["screenshots"][0]["decided"]["name"] == "Visual Review"
    client = signed_in(carried.world.persona)
    page = text_of(client, f"/builds/{carried.build.id}")
    assert "approved by Visual Review, carried over" in page
    carried.world.notify()
    description = carried.world.description("visual-review", NEWER)
    assert description.startswith("Approved by Visual Review in #1")


def test_a_user_whose_name_shows_nothing_is_named_by_e_mail(personas: Personas, case: Case) -> None:
    world = World(personas.bob)
    build = world.publish({"a": "red"})
    email = personas.bob.user.email
    for name in ("", " ", "\u200b \u2800"):
        with case(repr(name)):
            personas.bob.user.name = name
            personas.bob.user.save()
            result(personas.bob, "reject_build", buildId=build.id)
            found = result(personas.bob, "get_build", buildId=build.id)["build"]
            assert found["decided"]["name"] == str(personas.bob.user) == email
            world.approve(build)
