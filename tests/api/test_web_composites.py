"""The close-up of a changed screenshot on a build's page: a fixed address, a private picture."""

import io
from pathlib import Path

import pytest
from django.test import Client
from PIL import Image

from tests.support.images import PictureWorld, noise, page
from tests.support.pages import path_of, signed_in, text_of
from tests.support.personas import Personas
from visual_review.builds.models import Screenshot
from visual_review.kernel import blobs


@pytest.fixture
def world(personas: Personas) -> PictureWorld:
    return PictureWorld(personas.alice)


@pytest.fixture
def shot(world: PictureWorld) -> Screenshot:
    return world.pair(page(400, 300, "red"), page(400, 300, "green"))


def address(shot: Screenshot) -> str:
    return f"/screenshots/{shot.id}/composite"


def path_only(link: str) -> str:
    """Without the signature, which ends."""
    return path_of(link).split("?")[0]


def served(client: Client, link: str) -> tuple[str, bytes]:
    answer = client.get(path_of(link))
    assert answer.status_code == 200
    assert answer["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert answer["Cache-Control"].startswith("private, max-age=")
    return answer["Content-Type"], b"".join(answer)


def test_the_address_leads_to_the_picture_and_stays_the_same(
    personas: Personas, shot: Screenshot
) -> None:
    client = signed_in(personas.carol)
    answer = client.get(address(shot))
    assert answer.status_code == 302
    assert "no-store" in answer["Cache-Control"]
    media_type, data = served(Client(), answer["Location"])
    assert media_type == "image/png"
    assert Image.open(io.BytesIO(data)).width > 640
    assert path_only(client.get(address(shot))["Location"]) == path_only(answer["Location"])


def test_a_picture_that_had_to_become_a_jpeg_is_served_as_one(
    personas: Personas, world: PictureWorld
) -> None:
    shot = world.pair(noise(900, 800, 1), noise(900, 800, 2))
    link = signed_in(personas.carol).get(address(shot))["Location"]
    media_type, data = served(Client(), link)
    assert media_type == "image/jpeg"
    assert Image.open(io.BytesIO(data)).format == "JPEG"


def test_the_link_without_its_signature_opens_nothing(personas: Personas, shot: Screenshot) -> None:
    link = signed_in(personas.carol).get(address(shot))["Location"]
    assert Client().get(path_only(link)).status_code == 403


def test_a_build_page_offers_close_ups_of_changes_alone(
    personas: Personas, world: PictureWorld
) -> None:
    same, old, new = (page(200, 100, color) for color in ("", "red", "blue"))
    world.act("approve_build", buildId=world.show({"a": old, "b": same, "c": old}).id)
    build = world.show({"a": new, "b": same, "d": new})
    text = text_of(signed_in(personas.carol), f"/builds/{build.id}?show=all")
    offered = [
        row.story_id for row in Screenshot.objects.filter(build=build) if address(row) in text
    ]
    assert offered == ["a"]
    # Drawing waits for somebody who looks.
    assert not any(blobs.blob_store().keys("drawn"))


def test_a_full_disk_is_said(
    personas: Personas, shot: Screenshot, monkeypatch: pytest.MonkeyPatch, blobs_folder: Path
) -> None:
    assert blobs_folder.exists()
    # No disk has so much free: the store sees this one as full.
    monkeypatch.setattr(blobs, "MINIMUM_FREE_BYTES", 1 << 60)
    answer = signed_in(personas.carol).get(address(shot))
    assert answer.status_code == 503
    assert "Free space on the server" in answer.content.decode()
