"""The home page lists reviews due in all repositories, first the ones waiting for the person."""

from datetime import timedelta

from django.test import Client

from tests.support.action_calls import act
from tests.support.images import page
from tests.support.pages import signed_in, text_of
from tests.support.personas import Personas
from tests.support.statements import counted_statements
from tests.support.worlds import World
from visual_review.builds.images.thumbnails import render_missing_thumbnails
from visual_review.builds.models import Build


def test_what_the_person_is_asked_for_comes_first(personas: Personas) -> None:
    first = World(personas.alice)
    other = World(personas.alice, "acme/shop")
    approved = first.publish({"a": "red"})
    first.act("approve_build", buildId=approved.id)
    builds = [
        first.publish({"a": "blue"}, branch="one", message="Make it blue"),
        other.publish({"a": "green", "b": "red"}, branch="two"),
    ]
    act(personas.alice, "request_review", buildId=builds[1].id, reviewers=["Bob"])
    other.act("review_screenshot", screenshotId=other.shot(builds[1], "a").id, state="rejected")
    client = signed_in(personas.bob)
    text = text_of(client, "/")
    assert text.index("acme/shop") < text.index("Make it blue")
    assert text.count("You are asked") == 1
    assert "1 of 2 decided</strong>" in text
    assert ", asked: Bob" in text
    assert f'href="/builds/{approved.id}"' not in text
    # For Alice the oldest is first.
    text = text_of(signed_in(personas.alice), "/")
    assert text.index("Make it blue") < text.index("acme/shop")
    assert "You are asked" not in text
    for build in builds:
        act(personas.alice, "approve_build", buildId=build.id)
    assert "No build waits for a review." in text_of(client, "/")


def test_the_first_steps_are_shown_until_a_build_is_approved(personas: Personas) -> None:
    owner = signed_in(personas.alice)
    assert text_of(owner, "/").count(": done") == 1
    world = World(personas.alice)
    build = world.publish({"a": "red"})
    assert text_of(owner, "/").count(": done") == 3
    assert "First steps" not in text_of(signed_in(personas.bob), "/")
    world.approve(build)
    assert "First steps" not in text_of(owner, "/")


def test_another_organization_waits_for_itself(personas: Personas) -> None:
    World(personas.alice).publish({"a": "red"})
    assert "All done" in text_of(signed_in(personas.mallory), "/")
    response = Client().get("/", follow=True)
    assert response.redirect_chain[-1][0] == "/sign-in?next=/"


def test_a_build_shows_its_first_changes(personas: Personas) -> None:
    world = World(personas.alice)
    build = world.publish({"a": page(200, 150, "red"), "b": page(200, 150, "green")})
    client = signed_in(personas.carol)
    text = text_of(client, "/")
    shot = world.shot(build, "a")
    url = f"/builds/{build.id}/thumbnails/{shot.id}"
    assert url in text
    assert client.get(url).status_code == 204
    render_missing_thumbnails(Build.objects.get(pk=build.pk), lambda: None)
    response = client.get(url)
    assert (response.status_code, response["Content-Type"]) == (200, "image/webp")
    assert response.content[:4] == b"RIFF"
    assert signed_in(personas.mallory).get(url).status_code == 404


def test_the_number_of_statements_and_of_builds_is_limited(personas: Personas) -> None:
    world = World(personas.alice)
    client = signed_in(personas.alice)
    builds = [world.publish({"a": "red"}, branch=f"branch-{number}") for number in range(2)]
    text_of(client, "/")
    with counted_statements() as few:
        text_of(client, "/")
    sample = builds[0]
    rows = [
        Build(
            repository_id=sample.repository_id,
            product_id=sample.product_id,
            number=100 + number,
            nonce=f"n{number}",
            branch=f"more-{number}",
            commit="0" * 40,
            status="completed",
            baseline_rule="none",
            completed_at=sample.completed_at,
            created_at=sample.created_at + timedelta(seconds=number),
        )
        for number in range(60)
    ]
    Build.objects.bulk_create(rows)
    with counted_statements() as many:
        text = text_of(client, "/")
    assert len(few) == len(many) <= 12
    assert "50 of 62 builds are shown" in text
