"""Search over everything, the documentation in the product, and the links of pages to it."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from tests.support.case import Case
from tests.support.pages import signed_in, text_of
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.builds.models import Build, PullRequest
from visual_review.web.documentation import find_sections, page_paths, read_page
from visual_review.web.help import HELP, help_of
from visual_review.web.urls import urlpatterns

COMMIT = "4f9c1d7be0a2" + "0" * 28


@pytest.fixture
def world(personas: Personas) -> World:
    world = World(personas.alice)
    build = world.publish({"card": "red", "table": "blue"}, commit=COMMIT, message="Begin here")
    world.act("approve_build", buildId=build.id)
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
        "code owners": "/docs/how-to/owners.md",
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


def test_each_page_of_the_documentation_is_shown_to_anyone(case: Case) -> None:
    visitor = Client()
    index = visitor.get("/docs").content.decode()
    for path in page_paths():
        with case(path):
            page = visitor.get(f"/docs/{path}")
            assert page.status_code == 200
            if path.split("/")[0] in {"tutorial", "how-to", "reference", "explanation"}:
                assert f'href="/docs/{path}"' in index
    image = visitor.get("/docs/explanation/images/moved-content.png")
    assert (image["Content-Type"], image.content[:4]) == ("image/png", b"\x89PNG")
    for path in ("none.md", "../README.md", "how-to", "images/none.png", "reference/openapi.json"):
        assert visitor.get(f"/docs/{path}").status_code == 404


def test_sections_with_the_text_in_the_title_come_first() -> None:
    assert find_sections("baseline", 1)[0].title.startswith("Baseline")
    assert all("owners" in each.text.lower() for each in find_sections("code owners", 5))


def test_each_page_links_to_a_part_of_the_documentation_that_exists(case: Case) -> None:
    for target in {*HELP.values(), *(help_of(each.name or "") for each in urlpatterns)}:
        with case(target):
            path, _, anchor = target.partition("#")
            page = read_page(path)
            assert not anchor or f'id="{anchor}"' in page.html


@pytest.mark.usefixtures("world")
def test_a_page_and_an_error_lead_to_the_documentation(client: Client) -> None:
    assert 'href="/docs/how-to/review.md"' in text_of(client, "/")
    response = client.get(reverse("build", args=["build_none"]))
    assert response.status_code == 404
    assert 'href="/docs/how-to/review.md">Documentation</a>' in response.content.decode()
