"""Search over everything, the documentation in the product, and links from pages to it."""

import re
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from tests.support.case import Case
from tests.support.pages import signed_in, text_of
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.builds.models import Build, PullRequest
from visual_review.web import documentation
from visual_review.web.documentation import find_sections, site_folder
from visual_review.web.page_context import HELP, help_of
from visual_review.web.urls import urlpatterns

COMMIT = "4f9c1d7be0a2" + "0" * 28


@pytest.fixture
def world(personas: Personas) -> World:
    world = World(personas.alice)
    build = world.publish({"card": "red", "table": "blue"}, commit=COMMIT, message="Begin here")
    world.approve(build)
    world.publish({"card": "green"}, "feature/cards", target="main", number=41)
    PullRequest.objects.update(title="Rounder corners")
    return world


@pytest.fixture
def client(personas: Personas) -> Client:
    return signed_in(personas.carol)


def headings(page: str) -> list[str]:
    return re.findall(r'<h2 id="kind-[0-9]">([^<]+)</h2>', page)


def test_everything_is_found(case: Case, client: Client, world: World) -> None:
    first, second = Build.objects.order_by("number")
    repository = f"/repositories/{world.repository.pk}"
    found = {
        "acme/web": repository,
        "begin HERE": f"/builds/{first.pk}",
        COMMIT[:8].upper(): f"/builds/{first.pk}",
        "#41": f"/builds/{second.pk}",
        "rounder": f"/builds/{second.pk}",
        "table": f"{repository}/stories/table?product=default",
        "bob@": "/members",
        "Mail to": "/account/mail",
        "code owners": "/docs/how-to/owners/",
    }
    for text, url in found.items():
        with case(text):
            response = client.get("/search", {"q": text})
            shown = (
                response.content.decode() if response.status_code == 200 else response["Location"]
            )
            assert url in shown


@pytest.mark.usefixtures("world")
def test_what_is_the_only_one_opens_at_once(client: Client) -> None:
    build = Build.objects.get(number=1)
    assert client.get("/search", {"q": COMMIT[:12]})["Location"] == f"/builds/{build.pk}"
    page = text_of(client, "/search?q=card")
    assert headings(page)[:2] == ["Builds", "Stories"]


@pytest.mark.usefixtures("world")
def test_no_one_finds_what_they_may_not_see(personas: Personas) -> None:
    mallory = signed_in(personas.mallory)
    for text in ("acme/web", COMMIT[:8], "rounder", "table", "bob@"):
        page = text_of(mallory, f"/search?q={text}")
        assert not {"Repositories", "Builds", "Stories", "People"} & {*headings(page)}
    assert "/audit" not in text_of(signed_in(personas.carol), "/search?q=audit+log")
    assert "/audit" in text_of(signed_in(personas.alice), "/search?q=log")


@pytest.mark.usefixtures("world")
def test_nothing_found_is_said(client: Client) -> None:
    assert "Nothing found" in text_of(client, "/search?q=zzzzzzzzzzzz")
    assert "Nothing found" not in text_of(client, "/search?q=+")
    assert client.get("/search", {"q": "%" * 5000}).status_code == 200


def test_the_documentation_is_shown_to_anyone(case: Case) -> None:
    visitor = Client()
    for path, kind in {
        "": "text/html",
        "how-to/review/": "text/html",
        "explanation/images/moved-content.png": "image/png",
        "reference/openapi.json": "application/json",
        "search/search_index.json": "application/json",
    }.items():
        with case(path):
            response = visitor.get(f"/docs/{path}")
            assert (response.status_code, response["Content-Type"].partition(";")[0]) == (200, kind)
    assert visitor.get("/docs")["Location"] == "/docs/"
    for path in ("none/", "../README.md", "%2e%2e/commit.txt", "/etc/passwd", "how-to", "images/"):
        with case(path):
            assert visitor.get(f"/docs/{path}").status_code == 404


def test_the_policy_of_the_documentation_allows_no_script_in_a_page() -> None:
    scripts = [
        re.findall(r"<script(?![^>]*(?:src=|json))[^>]*>", path.read_text())
        for path in site_folder().rglob("*.html")
    ]
    assert len(scripts) > 20
    assert not any(scripts)
    policy = Client().get("/docs/")["Content-Security-Policy"]
    assert "script-src 'self';" in policy
    assert "img-src 'self' data:;" in policy


def test_an_installation_without_the_documentation_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(documentation, "FOLDERS", (tmp_path / "none",))
    response = Client().get("/docs/")
    assert response.status_code == 404
    assert "make docs" in response.content.decode()


def test_sections_with_the_text_in_the_title_come_first() -> None:
    assert find_sections("baseline", 1)[0].title.startswith("Baseline")
    assert all("owners" in each.text.lower() for each in find_sections("code owners", 5))


def test_each_page_links_to_a_part_of_the_documentation_that_exists(case: Case) -> None:
    for target in {*HELP.values(), *(help_of(each.name or "") for each in urlpatterns)}:
        with case(target):
            path, _, anchor = target.partition("#")
            page = (site_folder() / path / "index.html").read_text()
            assert not anchor or f'id="{anchor}"' in page


@pytest.mark.usefixtures("world")
def test_a_page_and_an_error_lead_to_the_documentation(client: Client) -> None:
    assert 'href="/docs/how-to/review/"' in text_of(client, "/")
    response = client.get(reverse("build", args=["build_none"]))
    assert response.status_code == 404
    assert 'href="/docs/how-to/review/">Documentation</a>' in response.content.decode()
