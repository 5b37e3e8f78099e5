"""The images of a repository on the service's own origin: who gets which, and their caching."""

import hashlib
import json
import re
from typing import Any

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from tests.support.case import Case
from tests.support.pages import signed_in
from tests.support.personas import Personas
from tests.support.worlds import World, png, sha256
from visual_review.builds.images.thumbnails import render_missing_thumbnails
from visual_review.builds.models import Build, Comparison, Screenshot
from visual_review.kernel.blobs import blob_store

IMMUTABLE = "private, max-age=86400, immutable"


@pytest.fixture
def world(personas: Personas) -> World:
    world = World(personas.alice)
    world.approve(world.publish({"a": "red", "gone": "red"}))
    return world


@pytest.fixture
def build(world: World) -> Build:
    return world.publish({"a": "blue", "new": "green", "broken": "error"})


@pytest.fixture
def alice(personas: Personas) -> Client:
    return signed_in(personas.alice)


def image_url(world: World, color: str) -> str:
    return f"/repositories/{world.repository.id}/images/{sha256(png(color))}.png"


def diff_url(world: World) -> str:
    key = Comparison.objects.get(has_picture=True).key
    return f"/repositories/{world.repository.id}/diffs/{key}.png"


def body_of(response: Any) -> bytes:  # noqa: ANN401 - A test response.
    return b"".join(response.streaming_content)


@pytest.mark.usefixtures("build")
def test_a_member_gets_every_image_of_the_repository(
    world: World, alice: Client, case: Case
) -> None:
    for color in ("red", "blue", "green"):
        with case(color):
            response = alice.get(image_url(world, color))
            assert body_of(response) == png(color)
            assert response["Content-Type"] == "image/png"
            assert response["Cache-Control"] == IMMUTABLE
            assert response["Content-Security-Policy"] == "sandbox; default-src 'none'"
            assert response["X-Content-Type-Options"] == "nosniff"
    with case("difference"):
        response = alice.get(diff_url(world))
        assert body_of(response).startswith(b"\x89PNG")
        assert response["Cache-Control"] == IMMUTABLE


@pytest.mark.usefixtures("build")
def test_a_browser_that_has_the_image_is_not_sent_it_again(world: World, alice: Client) -> None:
    url = image_url(world, "blue")
    first = alice.get(url)
    assert body_of(first) == png("blue")
    etag = first["ETag"]
    response = alice.get(url, headers={"if-none-match": etag})
    assert (response.status_code, response["Cache-Control"]) == (304, IMMUTABLE)


@pytest.mark.usefixtures("build")
def test_foreign_and_unknown_images_are_the_same(
    world: World, personas: Personas, alice: Client, case: Case
) -> None:
    foreign = World(personas.mallory, "evil/web")
    foreign.publish({"a": "black"})
    other = World(personas.alice, "acme/other")
    other.publish({"a": "white"})
    mallory = signed_in(personas.mallory)
    unknown = alice.get(f"/repositories/{world.repository.id}/images/{'0' * 64}.png")
    assert unknown.status_code == 404
    for name, client, url in [
        ("of another organization", mallory, image_url(world, "blue")),
        ("difference of another organization", mallory, diff_url(world)),
        ("known hash, own repository", mallory, image_url(foreign, "blue")),
        ("of another repository", alice, image_url(world, "white")),
        ("foreign repository", alice, image_url(foreign, "black")),
        ("no hash", alice, f"/repositories/{world.repository.id}/images/x.png"),
        ("unknown difference", alice, f"/repositories/{world.repository.id}/diffs/x.png"),
    ]:
        with case(name):
            response = client.get(url)
            assert (response.status_code, response.json()) == (404, unknown.json())


@pytest.mark.usefixtures("build")
def test_images_need_a_session(world: World, client: Client) -> None:
    response = client.get(image_url(world, "blue"))
    assert (response.status_code, response.json()["signInUrl"]) == (401, "/sign-in")
    assert "no-store" in response["Cache-Control"]


@pytest.mark.usefixtures("build")
def test_images_of_a_removed_repository_are_gone(world: World, alice: Client) -> None:
    url = image_url(world, "blue")
    world.act("remove_repo", repoId=world.repository.id)
    assert alice.get(url).status_code == 404


@pytest.mark.usefixtures("build")
def test_an_image_lost_by_the_storage_is_said_to_be(world: World, alice: Client) -> None:
    organization_id, digest = world.repository.organization_id, sha256(png("blue"))
    blob_store().delete([f"images/{organization_id}/{digest[:2]}/{digest}.png"])
    response = alice.get(image_url(world, "blue"))
    assert response.status_code == 404
    assert "no longer in the storage" in response.json()["error"]


def thumbnails_of(client: Client, build: Build, ids: list[str]) -> tuple[dict[str, bytes], str]:
    """Return the thumbnails by id, in the order of the response, and the allowed caching."""
    response = client.get(f"/builds/{build.id}/thumbnails", {"ids": ",".join(ids)})
    assert response.status_code == 200, response.content
    length = int.from_bytes(response.content[:4])
    found, position = {}, 4 + length
    for id_, size in json.loads(response.content[4:position]):
        found[id_] = response.content[position : position + size]
        position += size
    assert position == len(response.content)
    return found, response["Cache-Control"]


def ids_by_story(build: Build) -> dict[str, str]:
    return dict(Screenshot.objects.filter(build=build).values_list("story_id", "id"))


def test_thumbnails_come_in_one_response(build: Build, alice: Client) -> None:
    render_missing_thumbnails(build, lambda: None)
    ids = ids_by_story(build)
    asked = [ids["new"], ids["gone"], ids["broken"], "shot_unknown", ids["a"]]
    found, caching = thumbnails_of(alice, build, asked)
    assert list(found) == [ids["new"], ids["gone"], ids["broken"], ids["a"]]
    assert found.pop(ids["broken"]) == b""
    assert all(data[8:12] == b"WEBP" for data in found.values())
    # A thumbnail that never comes does not keep the others from being cached.
    assert caching == "private, max-age=86400"
    assert len({hashlib.sha256(data).digest() for data in found.values()}) == 3


def test_thumbnails_that_are_still_to_come_are_not_cached(build: Build, alice: Client) -> None:
    ids = ids_by_story(build)
    found, caching = thumbnails_of(alice, build, [ids["a"], ids["new"]])
    assert (set(found.values()), caching) == ({b""}, "no-store")


def test_wrong_requests_for_thumbnails_say_why(
    build: Build, alice: Client, personas: Personas, case: Case
) -> None:
    url, shot = f"/builds/{build.id}/thumbnails", ids_by_story(build)["a"]
    for name, client, ids, status in [
        ("none", alice, "", 400),
        ("too many", alice, ",".join(f"shot_{number}" for number in range(61)), 400),
        ("unknown", alice, "shot_unknown", 404),
        ("another organization", signed_in(personas.mallory), shot, 404),
        ("NUL", alice, "shot_\0", 404),
        ("signed out", Client(), shot, 401),
    ]:
        with case(name):
            response = client.get(url, {"ids": ids})
            assert response.status_code == status
            assert response.json()["error"]


def test_the_review_page_takes_images_from_this_service_alone(
    build: Build, alice: Client, settings: Settings
) -> None:
    settings.IMAGE_ORIGINS = ["https://s3.example.com"]
    policy = alice.get(f"/builds/{build.id}")["Content-Security-Policy"]
    assert "img-src 'self' blob:;" in policy
    assert "s3.example.com" not in policy


def test_the_review_page_requests_early_what_it_needs(build: Build, alice: Client) -> None:
    page = alice.get(f"/builds/{build.id}").content.decode()
    head = page.partition("</head>")[0]
    index = f'<link rel="preload" as="fetch" crossorigin href="/builds/{build.id}/review.json">'
    assert index in head
    assert re.search(r'<script type="module" src="/static/\w+/web/review/main\.bundle\.js">', head)
