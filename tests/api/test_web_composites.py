"""The close-up of a changed screenshot on a build's page: a fixed URL for a private image."""

import io
from pathlib import Path

import pytest
from django.test import Client
from PIL import Image

from tests.support.images import noise, page
from tests.support.pages import path_of, signed_in
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.builds.models import Screenshot
from visual_review.kernel import blobs


@pytest.fixture
def shot(world: World) -> Screenshot:
    return world.pair(page(400, 300, "red"), page(400, 300, "green"))


def composite_url(shot: Screenshot) -> str:
    return f"/screenshots/{shot.id}/composite"


def path_only(link: str) -> str:
    """Return the path without the signature, which expires."""
    return path_of(link).split("?")[0]


def served(client: Client, link: str) -> tuple[str, bytes]:
    response = client.get(path_of(link))
    assert response.status_code == 200
    assert response["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert response["Cache-Control"].startswith("private, max-age=")
    return response["Content-Type"], b"".join(response)


def test_the_url_redirects_to_the_image_and_stays_the_same(
    personas: Personas, shot: Screenshot
) -> None:
    client = signed_in(personas.carol)
    response = client.get(composite_url(shot))
    assert response.status_code == 302
    assert "no-store" in response["Cache-Control"]
    media_type, data = served(Client(), response["Location"])
    assert media_type == "image/png"
    assert Image.open(io.BytesIO(data)).width > 640
    assert path_only(client.get(composite_url(shot))["Location"]) == path_only(response["Location"])


def test_an_image_stored_as_jpeg_is_served_as_jpeg(personas: Personas, world: World) -> None:
    shot = world.pair(noise(900, 800, 1), noise(900, 800, 2))
    link = signed_in(personas.carol).get(composite_url(shot))["Location"]
    media_type, data = served(Client(), link)
    assert media_type == "image/jpeg"
    assert Image.open(io.BytesIO(data)).format == "JPEG"


def test_the_link_without_its_signature_opens_nothing(personas: Personas, shot: Screenshot) -> None:
    link = signed_in(personas.carol).get(composite_url(shot))["Location"]
    assert Client().get(path_only(link)).status_code == 403


def test_a_full_disk_is_reported(
    personas: Personas, shot: Screenshot, monkeypatch: pytest.MonkeyPatch, blobs_folder: Path
) -> None:
    assert blobs_folder.exists()
    # No disk has so much space, so the store considers this one full.
    monkeypatch.setattr(blobs, "MINIMUM_FREE_BYTES", 1 << 60)
    response = signed_in(personas.carol).get(composite_url(shot))
    assert response.status_code == 503
    assert "Free up disk space on the server" in response.content.decode()
