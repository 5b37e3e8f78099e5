"""``GET baseline``: what ``visual-review check`` compares with, for people and their keys."""

import json
from dataclasses import dataclass
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from tests.support.api_keys import organization_key, user_key
from tests.support.ci.client import problem_of
from tests.support.oauth.flow import Flow
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.builds.models import Build
from visual_review.repositories.tokens import mint_token

HASHES = {
    "a": {"source_hash": "source-a", "renderer_hash": "renderer"},
    "b": {"source_hash": "source-b", "renderer_hash": "renderer"},
}


@dataclass(frozen=True)
class Laptop:
    """Someone's machine with a credential, which may be invalid."""

    credential: str

    def ask(self, **query: str) -> HttpResponse:
        headers = {"Authorization": f"Bearer {self.credential}"}
        client = Client(raise_request_exception=False)
        response: HttpResponse = client.get("/api/ci/baseline", query, headers=headers)
        return response

    def baseline(self, **query: str) -> dict[str, Any]:
        asked = {"repository": "acme/web", "branch": "feature", "baseBranch": "main", **query}
        response = self.ask(**asked)
        assert response.status_code == 200, response.content
        return dict(json.loads(response.content))


@pytest.fixture
def laptop(personas: Personas) -> Laptop:
    return Laptop(user_key(personas.carol, ("builds:view",)))


@pytest.fixture
def approved(world: World) -> Build:
    build = world.upload({"a": "red", "b": "blue"}, hashes=HASHES, commit="c" * 40)
    world.finish(build)
    world.approve(build)
    return world.fresh(build)


def test_entries_have_images_hashes_and_what_comparisons_ignore(
    world: World, laptop: Laptop, approved: Build
) -> None:
    region = {"x": 0.0, "y": 0.0, "width": 0.5, "height": 0.25}
    variant = {"storyId": "b", "theme": "light", "device": "desktop"}
    world.act("set_dynamic_regions", repoId=world.repository.id, **variant, regions=[region])
    found = laptop.baseline()
    a, b = found["entries"]
    assert (a["storyId"], a["sourceHash"], a["rendererHash"]) == ("a", "source-a", "renderer")
    assert (a["dynamicRegions"], b["dynamicRegions"]) == ([], [region])
    assert (found["baselineRule"], found["baseline"]["branch"]) == ("target_branch", "main")
    assert (found["defaultBranch"], found["faintChanges"]) == ("main", True)
    version = found["version"]
    assert (version["by"], version["commit"]) == ("Alice", "c" * 40)
    assert version["buildNumber"] == approved.number
    image = Client().get(a["url"])
    assert image.status_code == 200
    image.close()
    assert a["sha256"] in a["url"]


@pytest.mark.usefixtures("approved")
def test_the_plan_is_part_of_the_result(laptop: Laptop) -> None:
    found = laptop.baseline(themes="light", devices="desktop")
    assert found["stories"] == {"a": "source-a", "b": "source-b"}
    assert found["renderers"] == {"a": "renderer", "b": "renderer"}
    assert found["viewports"]["phone"] == {"width": 390, "height": 844}


def test_without_a_baseline_there_are_no_entries(world: World, laptop: Laptop) -> None:
    world.publish({"a": "red"})
    found = laptop.baseline()
    assert (found["baselineRule"], found["entries"], found["version"]) == ("none", [], None)


@pytest.mark.usefixtures("approved")
def test_a_signed_in_person_may_read(personas: Personas) -> None:
    flow = Flow.of(personas.carol)
    exchanged = flow.exchange(flow.code(personas.carol, "read"))
    token = json.loads(exchanged.content)["access_token"]
    assert len(Laptop(token).baseline()["entries"]) == 2


@pytest.mark.usefixtures("approved")
def test_who_asks_is_settled_first(personas: Personas, world: World) -> None:
    for wrong in ("", "vr_user_wrong", mint_token(world.repository)):
        problem_of(Laptop(wrong).ask(), 401)
    key = organization_key(personas.alice, ("recordings:view",))
    assert "builds:view" in problem_of(Laptop(key).ask(), 403)["detail"]


@pytest.mark.usefixtures("approved")
def test_bad_questions_are_answered_in_words(laptop: Laptop) -> None:
    missing = problem_of(laptop.ask(branch="main"), 400)
    assert "/repository" in str(missing["errors"])
    problem_of(laptop.ask(repository="acme/web", branch="main", more="1"), 400)
    unknown = problem_of(laptop.ask(repository="acme/other", branch="main"), 404)
    assert "no repository 'acme/other'" in unknown["detail"]


@pytest.mark.usefixtures("approved")
def test_another_organization_learns_nothing(personas: Personas) -> None:
    mallory = Laptop(user_key(personas.mallory))
    problem_of(mallory.ask(repository="acme/web", branch="main"), 404)
