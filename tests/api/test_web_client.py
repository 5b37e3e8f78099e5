"""The server's copy of the client, and the pages with its commands."""

import hashlib
import re

import pytest
from django.test import Client

from tests.support.case import Case
from tests.support.pages import signed_in, text_of
from tests.support.personas import Personas
from visual_review.accounts.models import Organization
from visual_review.repositories.models import Repository
from visual_review.web.client_wheel import client_wheel, wheel_name

pytestmark = pytest.mark.django_db
OTHER = "visual_review-0.0.9-py3-none-any.whl"
EARLIER = "Earlier tokens of this repository no longer work"


def test_anyone_can_download_the_client(client: Client) -> None:
    assert f'href="/client/{wheel_name()}"' in text_of(client, "/client/")
    response = client.get(f"/client/{wheel_name()}")
    assert response.content == client_wheel().content
    assert response["ETag"] == f'"{client_wheel().sha256}"'


def test_the_index_for_pip_has_the_hash_of_the_file(client: Client) -> None:
    found = re.search(
        r'href="([^"#]+)#sha256=([0-9a-f]{64})"', text_of(client, "/client/simple/visual-review/")
    )
    assert found
    content = client.get(found[1]).content
    assert hashlib.sha256(content).hexdigest() == found[2]


def test_another_version_leads_to_this_one_and_other_files_do_not_exist(
    client: Client, case: Case
) -> None:
    response = client.get(f"/client/{OTHER}")
    assert (response.status_code, response["Location"]) == (302, f"/client/{wheel_name()}")
    for name in ("x.whl", "visual_review-1-cp311-abi3-linux_x86_64.whl", "..%2fsettings.py"):
        with case(name):
            response = client.get(f"/client/{name}")
            assert response.status_code == 404
            # The page of an error has the name of who is signed in.
            assert "public" not in response.headers.get("Cache-Control", "")
    assert "public" in client.get(f"/client/{wheel_name()}")["Cache-Control"]


def test_only_a_rotation_ends_earlier_tokens(personas: Personas) -> None:
    client = signed_in(personas.alice)
    connected = client.post("/repositories", {"fullName": "acme/new"}).content.decode()
    assert EARLIER not in connected
    assert "Publish the first build" in connected
    repository = Repository.objects.get(full_name="acme/new")
    rotated = client.post(f"/repositories/{repository.id}/token").content.decode()
    assert EARLIER in rotated
    for page in (connected, rotated):
        shown = re.search(r'id="token">(vr_ci_[^<]+)<', page)
        assert shown
        assert f"export UI_REVIEW_TOKEN={shown[1]}" in page
        assert "export VISUAL_REVIEW_URL=" in page
        assert f"/client/{wheel_name()}" in page


def test_a_repository_without_builds_says_how_to_publish_one(personas: Personas) -> None:
    client = signed_in(personas.alice)
    client.post("/repositories", {"fullName": "acme/new"})
    repository = Repository.objects.get(full_name="acme/new")
    page = text_of(client, f"/repositories/{repository.id}")
    assert "No builds yet" in page
    assert "export VISUAL_REVIEW_URL=" in page
    assert "vr_ci_" not in page


@pytest.mark.usefixtures("without_personas")
def test_before_the_setup_the_service_says_which_link_to_open(client: Client, case: Case) -> None:
    for path in ("/", "/sign-in"):
        with case(path):
            assert "Open the link that the terminal printed" in text_of(client, path)
    Organization.objects.create(name="Acme")
    assert client.get("/")["Location"].startswith("/sign-in")
    assert "Open the link" not in text_of(client, "/sign-in")
