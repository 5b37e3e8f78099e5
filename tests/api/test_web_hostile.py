"""URLs and forms that no person would send: each gets an error, none a server error."""

import pytest
from django.test import Client

from tests.support.case import Case
from tests.support.pages import signed_in
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.builds.models import Build

NUMBERS = ["9" * 5000, "9" * 30, "-1", "0", "1e3", "\u0661", "x", ""]
CURSORS = [
    "[1]",
    '["x"]',
    "[99999999999999]",
    '["\\u0000"]',
    '["\\ud800"]',
    '["x", "y"]',
    '["2026-13-45", "x"]',
    "[[[[",
    "[true]",
    "[1.5]",
    '["a","b","c","d"]',
]
TEXTS = ["\0", "\ud83d".encode("utf-8", "surrogatepass"), "x" * 20_000, "\u202e", "'\";--"]


@pytest.fixture
def world(personas: Personas) -> World:
    found = World(personas.alice)
    found.act("approve_build", buildId=found.publish({"a": "red"}).id)
    return found


@pytest.fixture
def owner(personas: Personas) -> Client:
    client = signed_in(personas.alice)
    client.raise_request_exception = False
    return client


MALFORMED_URLS = (
    "/builds/%00",
    "/baselines/a%00b",
    "/repositories/%00",
    "/keys/%00/revoke",
    "/members/%00/remove",
    "/invitations/%00",
    "/setup/%00",
    "/repositories/{repository}?q=%00",
    "/repositories/{repository}?after=%00",
    "/audit?verb=%00",
    "/builds/{build}?show=%00",
    "/builds/%ED%A0%80",
)


def test_malformed_urls_are_not_found(case: Case, owner: Client, world: World) -> None:
    build = world.publish({"a": "red"})
    for template in MALFORMED_URLS:
        with case(template):
            url = template.format(repository=world.repository.id, build=build.id)
            assert owner.get(url).status_code == 404


def test_an_invalid_cursor_still_shows_a_page(case: Case, owner: Client, world: World) -> None:
    build = world.publish({"a": "red"})
    pages = ("", "/baselines", "/regions", "/recordings", "/outbox")
    urls = [f"/repositories/{world.repository.id}{each}" for each in pages]
    for number in (*NUMBERS, *CURSORS):
        with case(f"{number!r:.40}"):
            for url in (*urls, "/repositories", f"/baselines/{build.baseline_id}"):
                assert owner.get(url, {"after": number}).status_code == 200
            assert owner.get("/audit", {"before": number}).status_code == 200


def test_an_invalid_version_restores_nothing(case: Case, owner: Client, world: World) -> None:
    baseline = world.publish({"a": "red"}).baseline
    assert baseline is not None
    for number in NUMBERS:
        with case(f"{number!r:.40}"):
            response = owner.post(f"/baselines/{baseline.id}/restore", {"version": number})
            assert response.status_code in {302, 404}
            baseline.refresh_from_db()
            assert baseline.last_version == 1


def test_forms_accept_any_string_without_a_server_error(
    case: Case, owner: Client, world: World
) -> None:
    build = world.publish({"a": "blue"})
    for text in TEXTS:
        for url, fields in forms(build, text).items():
            with case(f"{url} {text!r:.40}"):
                assert owner.post(url, fields).status_code < 500


def forms(build: Build, text: str | bytes) -> dict[str, dict[str, str | bytes]]:
    """Return URL -> the fields of the URL's form, filled with ``text``."""
    repository = f"/repositories/{build.repository_id}"
    return {
        "/repositories": {"fullName": text, "defaultBranch": text},
        f"{repository}/capture": {"productKey": text, "themes": text},
        f"{repository}/remove": {"name": text},
        "/capture-default": {"devices": text},
        "/keys": {"name": text, "scope": "user", "expires_days": text},
        "/members": {"email": text, "role": text},
        "/account": {"name": text},
        "/account/organization": {"organization": text},
        "/sign-in": {"login": text, "password": text, "next": text},
    }


def test_an_unknown_host_gets_an_error_page(client: Client) -> None:
    client.raise_request_exception = False
    response = client.get("/", headers={"Host": "evil.example"})
    assert response.status_code == 400
    assert b"This request could not be read" in response.content


METHODS = ("PUT", "PATCH", "DELETE", "TRACE", "PROPFIND")


def test_pages_reject_other_methods(case: Case, owner: Client, world: World) -> None:
    build = world.publish({"a": "red"})
    for method in METHODS:
        with case(method):
            for url in ("/repositories", "/keys", "/members", f"/builds/{build.id}"):
                assert owner.generic(method, url).status_code == 405
