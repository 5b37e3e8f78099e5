"""The page of a story, and the images of a baseline."""

import re

import pytest
from django.test import Client

from tests.support.images import page
from tests.support.pages import signed_in, text_of
from tests.support.personas import Personas
from tests.support.worlds import World, sha256
from visual_review.builds.images.thumbnails import render_missing_thumbnails
from visual_review.builds.models import Baseline, Build
from visual_review.builds.reviewing import story_versions

RED, BLUE, GREEN, WHITE = (page(200, 150, color) for color in ("red", "blue", "green", "white"))


@pytest.fixture
def world(personas: Personas) -> World:
    """A story, red before, blue now, and green in a rejected branch; another is white."""
    world = World(personas.alice)
    titles = {story: {"title": f"Title of {story}"} for story in "ab"}
    for image in (RED, BLUE):
        world.approve(world.publish({"a": image, "b": WHITE}, hashes=titles))
    build = world.publish({"a": GREEN, "b": WHITE}, "feature/green", hashes=titles)
    world.act("reject_build", buildId=build.id)
    return world


@pytest.fixture
def client(personas: Personas) -> Client:
    return signed_in(personas.carol)


def sides_of(text: str) -> dict[str, str]:
    return dict(re.findall(r' (before|after)="[^"]*/images/([0-9a-f]{64})\.png"', text))


def test_all_images_of_a_story_are_in_one_strip(client: Client, world: World) -> None:
    text = text_of(client, f"/repositories/{world.repository.pk}/stories/a")
    strip = re.findall(r"<strong>(#?[\w ]+)</strong>", text)
    assert strip == ["#3", "Version 2", "#2", "Version 1", "#1"]
    assert "changed in 3 of 3 builds" in text
    assert "Rejected" in text
    assert sides_of(text) == {"before": sha256(BLUE), "after": sha256(GREEN)}
    assert "of the last 3 captures 0 unstable, 0 varied" in text


def test_it_is_said_that_older_versions_are_left_out(
    client: Client, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"/repositories/{world.repository.pk}/stories/a"
    monkeypatch.setattr(story_versions, "MOST_VERSIONS", 2)
    assert "versions of the baseline are listed" not in text_of(client, url)
    monkeypatch.setattr(story_versions, "MOST_VERSIONS", 1)
    text = text_of(client, url)
    assert "versions of the baseline are listed" in text
    assert re.findall(r"<strong>(Version \d)</strong>", text) == ["Version 2"]


def test_any_two_images_are_compared(client: Client, world: World) -> None:
    red, blue = sha256(RED), sha256(BLUE)
    url = f"/repositories/{world.repository.pk}/stories/a"
    text = text_of(client, f"{url}?before={blue}&after={red}")
    assert sides_of(text) == {"before": blue, "after": red}
    assert sides_of(text_of(client, f"{url}?before={'0' * 64}&after=x")).keys() == {
        "before",
        "after",
    }


def test_the_branches_that_have_the_story_are_listed(client: Client, world: World) -> None:
    build = world.publish({"a": GREEN, "b": WHITE}, "feature/new")
    world.approve(build)
    text = text_of(client, f"/repositories/{world.repository.pk}/stories/a")
    assert text.index("As on the default branch") < text.index("Another image")
    text = text_of(client, f"/repositories/{world.repository.pk}/stories/b")
    assert "Another image" not in text


def test_a_screenshot_leads_to_its_story(client: Client, world: World) -> None:
    shot = world.shot(Build.objects.latest("number"), "a")
    response = client.get(f"/screenshots/{shot.pk}/history")
    assert response["Location"] == (
        f"/repositories/{world.repository.pk}/stories/a?product=default&theme=light&device=desktop"
    )


def test_a_story_that_does_not_exist_is_not_found(
    personas: Personas, client: Client, world: World
) -> None:
    url = f"/repositories/{world.repository.pk}/stories/a"
    assert client.get(f"{url}/b").status_code == 404
    assert client.get(f"{url}?product=none").status_code == 404
    assert client.get(f"{url}?theme=purple&builds_before={'9' * 40}").status_code == 200
    assert signed_in(personas.mallory).get(url).status_code == 404


def test_a_baseline_shows_its_screenshots(client: Client, world: World) -> None:
    baseline = Baseline.objects.get(branch="main")
    text = text_of(client, f"/baselines/{baseline.pk}/screenshots")
    assert "Title of a" in text
    assert "Title of b" in text
    url = f"/repositories/{world.repository.pk}/stories/a?product=default&amp;theme=light"
    assert f'href="{url}&amp;device=desktop"' in text
    text = text_of(client, f"/baselines/{baseline.pk}/screenshots?q=OF+b")
    assert "Title of a" not in text
    assert "Title of b" in text
    assert "No screenshots found" in text_of(client, f"/baselines/{baseline.pk}/screenshots?q=x")


def test_a_version_is_compared_before_it_is_restored(
    personas: Personas, client: Client, world: World
) -> None:
    build = world.publish({"a": BLUE, "c": WHITE})
    world.approve(build)
    baseline = Baseline.objects.get(branch="main")
    url = f"/baselines/{baseline.pk}/versions/1"
    text = text_of(client, url)
    assert "3 screenshots differ" in text
    shown = re.findall(r"/images/([0-9a-f]{64})\.webp|Not in the (baseline|version)", text)
    assert ["".join(each) for each in shown] == [
        sha256(BLUE),
        sha256(RED),
        "baseline",
        sha256(WHITE),
        sha256(WHITE),
        "version",
    ]
    assert "Restore this version" not in text
    bob = signed_in(personas.bob)
    assert "Restore this version" in text_of(bob, url)
    bob.post(f"/baselines/{baseline.pk}/restore", {"version": "1", "reason": "as before"})
    assert "Nothing differs" in text_of(client, url)
    for number in ("9", "0", "x", "9" * 40):
        assert client.get(f"/baselines/{baseline.pk}/versions/{number}").status_code == 404


def test_a_thumbnail_is_the_image_until_it_is_rendered(
    personas: Personas, client: Client, world: World
) -> None:
    image = f"/repositories/{world.repository.pk}/images/{sha256(BLUE)}"
    assert client.get(f"{image}.webp")["Location"] == f"{image}.png"
    for build in Build.objects.all():
        render_missing_thumbnails(build, lambda: None)
    response = client.get(f"{image}.webp")
    assert (response["Content-Type"], response.content[:4]) == ("image/webp", b"RIFF")
    assert signed_in(personas.mallory).get(f"{image}.webp").status_code == 404
