"""``GET capture-plan`` and ``GET baseline``: what to capture, and the images to compare with."""

import json
from dataclasses import dataclass
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from tests.support.api_keys import organization_key, user_key
from tests.support.case import Case
from tests.support.ci.publish_client import Job, problem_of
from tests.support.oauth.flow import Flow
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.builds.models import Baseline, BaselineEntry, Build, Image
from visual_review.repositories.models import OrganizationCapture, Product
from visual_review.repositories.tokens import mint_token

LIGHT_DESKTOP = ("light", "desktop")
DARK_DESKTOP = ("dark", "desktop")


@pytest.fixture
def product(job: Job) -> Product:
    """A product with two captured variants."""
    row = job.repository.products.get()
    row.themes, row.devices, row.detection_armed = ["light", "dark"], ["desktop"], False
    row.save()
    return row


def entry(
    baseline: Baseline,
    story: str,
    variant: tuple[str, str],
    source: str,
    versions: tuple[int, int | None] = (1, None),
    renderer: str = "one",
) -> None:
    organization = baseline.product.repository.organization
    image, _ = Image.objects.get_or_create(
        organization=organization,
        sha256="0" * 64,
        pixels_sha256="1" * 64,
        width=1,
        height=1,
        size=1,
    )
    BaselineEntry.objects.create(
        baseline=baseline,
        story_id=story,
        theme=variant[0],
        device=variant[1],
        image=image,
        source_hash=source,
        renderer_hash=renderer,
        from_version=versions[0],
        to_version=versions[1],
    )


def test_overrides_come_before_the_organizations_default(job: Job, product: Product) -> None:
    OrganizationCapture.objects.create(
        organization=job.repository.organization, themes=["dark"], devices=["phone"]
    )
    plan = job.plan(branch="main")
    assert (plan["themes"], plan["devices"]) == (["light", "dark"], ["desktop"])
    assert (plan["matrixSource"], plan["detectionArmed"]) == ("override", False)
    product.themes = product.devices = None
    product.save()
    plan = job.plan(branch="main")
    assert (plan["themes"], plan["devices"]) == (["dark"], ["phone"])
    assert plan["matrixSource"] == "organization"


def test_an_unpublished_product_is_planned_but_not_created(job: Job) -> None:
    assert job.plan(branch="main", productKey="new-one")["productKey"] == "new-one"
    assert not Product.objects.filter(key="new-one").exists()


def test_a_story_is_inherited_only_if_all_its_variants_come_from_one_source(
    job: Job, product: Product
) -> None:
    baseline = Baseline.objects.create(product=product, branch="main", last_version=2)
    for variant in (LIGHT_DESKTOP, DARK_DESKTOP):
        entry(baseline, "same", variant, "aaa")
        entry(baseline, "unhashed", variant, "")
        entry(baseline, "ended", variant, "aaa", (1, 2))
        entry(baseline, "begun-later", variant, "aaa", (3, None))
    entry(baseline, "disagreeing", LIGHT_DESKTOP, "aaa")
    entry(baseline, "disagreeing", DARK_DESKTOP, "bbb")
    entry(baseline, "rendered-twice", LIGHT_DESKTOP, "aaa")
    entry(baseline, "rendered-twice", DARK_DESKTOP, "aaa", renderer="two")
    entry(baseline, "incomplete", LIGHT_DESKTOP, "aaa")
    entry(baseline, "same", ("light", "phone"), "of a variant that is captured no more")
    plan = job.plan(branch="main")
    assert plan["stories"] == {
        "same": "aaa",
        "unhashed": "",
        "disagreeing": "",
        "rendered-twice": "",
        "incomplete": "",
    }
    assert plan["renderers"] == plan["stories"] | {"same": "one", "unhashed": "one"}


QUERIES: tuple[tuple[dict[str, str], str, str], ...] = (
    ({"branch": "main"}, "own_branch", "main"),
    ({"branch": "feature/x"}, "default_branch", "main"),
    ({"branch": "release"}, "own_branch", "release"),
    ({"branch": "f", "pullRequest": "7", "baseBranch": "release"}, "target_branch", "release"),
    ({"branch": "f", "baseBranch": "release"}, "target_branch", "release"),
    ({"branch": "f", "pullRequest": "7"}, "default_branch", "main"),
    ({"branch": "release", "headRepository": "someone/fork"}, "default_branch", "main"),
)


def test_the_plan_names_the_rule_and_its_baseline(case: Case, job: Job, product: Product) -> None:
    for branch, versions in (("main", 4), ("release", 2), ("feature/x", 0)):
        Baseline.objects.create(product=product, branch=branch, last_version=versions)
    for query, rule, branch in QUERIES:
        with case(query):
            plan = job.plan(**query)
            assert (plan["baselineRule"], plan["baseline"]["branch"]) == (rule, branch)


def test_all_shards_of_a_run_get_the_plan_its_build_was_made_by(job: Job, product: Product) -> None:
    baseline = Baseline.objects.create(product=product, branch="main", last_version=1)
    entry(baseline, "a", LIGHT_DESKTOP, "aaa", (1, 2))
    detection = [{"theme": "dark", "device": "phone"}]
    job.create(
        nonce="run",
        shards=2,
        matrix={"themes": ["light"], "devices": ["desktop"]},
        detectionVariants=detection,
    )
    baseline.last_version = 2
    baseline.save()
    product.themes = ["dark"]
    product.save()
    plan = job.plan(branch="main", nonce="run")
    assert (plan["themes"], plan["devices"]) == (["light"], ["desktop"])
    assert plan["detectionArmed"] is True
    assert plan["baseline"] == {"id": baseline.id, "branch": "main", "move": 1}
    assert plan["stories"] == {"a": "aaa"}
    assert job.plan(branch="main", nonce="another run")["themes"] == ["dark"]


def test_hashes_are_of_what_the_project_captures_of_the_plan(job: Job, product: Product) -> None:
    baseline = Baseline.objects.create(product=product, branch="main", last_version=1)
    entry(baseline, "a", LIGHT_DESKTOP, "aaa")
    assert job.plan(branch="main")["stories"] == {"a": ""}
    narrowed = job.plan(branch="main", themes="light", devices="desktop,phone")
    assert narrowed["stories"] == {"a": "aaa"}
    assert narrowed["themes"] == ["light", "dark"]
    assert job.plan(branch="main", themes="dark")["stories"] == {"a": ""}


BAD_QUERIES = (
    "",
    "branch=main&themes=sepia",
    "branch=main&devices=phone,",
    "branch=",
    "branch=a%0Ab",
    "branch=a%00b",
    "branch=" + "x" * 10_000,
    "branch=main&branch=other",
    "branch=main&pullRequest=x",
    "branch=main&pullRequest=0",
    "branch=main&pullRequest=99999999999",
    "branch=main&pullRequest=1.0",
    "branch=main&productKey=A",
    "branch=main&headRepository=nobody",
    "branch=main&unknown=1",
)


def test_invalid_queries_are_rejected_with_a_message(case: Case, job: Job) -> None:
    for query in BAD_QUERIES:
        with case(query[:80]):
            response = job.call("GET", "capture-plan", QUERY_STRING=query)
            assert len(problem_of(response, 400)["detail"]) < 1000


HASHES = {
    "a": {"source_hash": "source-a", "renderer_hash": "renderer"},
    "b": {"source_hash": "source-b", "renderer_hash": "renderer"},
}


@dataclass(frozen=True)
class Laptop:
    """Someone's machine with a credential, valid or not."""

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
