"""The contact sheets of a build: pages, images behind fixed URLs, and what they show."""

import io

import pytest
from django.test import Client
from PIL import Image

from tests.support.images import ImageWorld, page
from tests.support.pages import path_of, signed_in, text_of
from tests.support.personas import Persona, Personas
from tests.support.scenes import scene
from visual_review.builds.models import Build, Screenshot
from visual_review.kernel.blobs import blob_store

STORIES = [f"story-{number:02}" for number in range(18)]


@scene
def publish_many_changes(persona: Persona) -> Build:
    """18 changed stories, a new one, a removed one, an unchanged one and a failed one."""
    world = ImageWorld(persona)
    same, red, green = (page(200, 150, color) for color in ("", "red", "green"))
    first = world.show({**dict.fromkeys(STORIES, red), "gone": same, "same": same})
    world.act("approve_build", buildId=first.id)
    build = world.show({**dict.fromkeys(STORIES, green), "fresh": red, "same": same})
    Screenshot.objects.filter(build=build, story_id="story-17").update(diff_state="failed")
    return build


@pytest.fixture
def build(personas: Personas) -> Build:
    return publish_many_changes(personas.alice)


def opened(client: Client, url: str) -> Image.Image:
    response = client.get(url)
    assert response.status_code == 302
    image = Client().get(path_of(response["Location"]))
    assert image.status_code == 200
    return Image.open(io.BytesIO(b"".join(image)))


def test_the_page_lists_each_change_once_with_its_number(personas: Personas, build: Build) -> None:
    text = text_of(signed_in(personas.carol), f"/builds/{build.id}/sheets")
    assert "Sheet 1: #1 to #9" in text
    # The failed one keeps its number, but has no image.
    assert "Sheet 2: #10 to #20" in text
    for story in [*STORIES[:17], "fresh", "gone"]:
        assert text.count(f"?story={story}#") == 1
    assert "?story=same#" not in text
    assert "?story=story-17#" not in text


def test_a_build_links_to_its_sheets_if_it_has_any(personas: Personas, build: Build) -> None:
    client = signed_in(personas.carol)
    url = f"/builds/{build.id}/sheets"
    assert f'href="{url}"' in text_of(client, f"/builds/{build.id}")
    Screenshot.objects.filter(build=build).update(diff_state="unchanged")
    Build.objects.filter(pk=build.pk).update(changed_count=0, new_count=0, removed_count=0)
    assert f'href="{url}"' not in text_of(client, f"/builds/{build.id}")
    assert "No screenshot of this build is changed" in text_of(client, url)


def test_a_sheet_is_rendered_once_and_again_when_it_shows_something_else(
    personas: Personas, build: Build
) -> None:
    client, url = signed_in(personas.carol), f"/builds/{build.id}/sheets/1"
    image = opened(client, url)
    assert max(image.size) <= 1568
    assert image.width * image.height <= 1_200_000
    stored = set(blob_store().keys("drawn"))
    assert len(stored) == 1
    opened(client, url)
    assert set(blob_store().keys("drawn")) == stored
    Screenshot.objects.filter(build=build, story_id="story-00").update(title="Another title")
    opened(client, url)
    assert len(set(blob_store().keys("drawn"))) == 2


def test_a_sheet_that_does_not_exist_is_not_found(personas: Personas, build: Build) -> None:
    for persona, path in (
        (personas.carol, f"/builds/{build.id}/sheets/3"),
        (personas.carol, f"/builds/{build.id}/sheets/0"),
        (personas.carol, "/builds/build_unknown/sheets/1"),
        (personas.mallory, f"/builds/{build.id}/sheets/1"),
        (personas.mallory, f"/builds/{build.id}/sheets"),
    ):
        assert signed_in(persona).get(path).status_code == 404
