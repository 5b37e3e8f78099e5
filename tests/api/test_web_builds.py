"""The pages of repositories, builds and baselines, as seen by a browser without scripts."""

import pytest
from django.test import Client

from tests.support.pages import signed_in
from tests.support.personas import Personas
from tests.support.statements import interrupted
from tests.support.worlds import BuildInReview, World, build_with_a_change
from visual_review.repositories.models import Repository


@pytest.fixture
def world(personas: Personas) -> World:
    return World(personas.bob)


@pytest.fixture
def build_in_review(personas: Personas) -> BuildInReview:
    return build_with_a_change(personas.bob)


def test_a_connected_repository_shows_its_token_once(owner: Client) -> None:
    page = owner.post("/repositories", {"fullName": "acme/shop"})
    repository = Repository.objects.get(full_name="acme/shop")
    assert b"vr_ci_" in page.content
    assert b"vr_ci_" not in owner.get("/repositories").content
    settings_page = owner.get(f"/repositories/{repository.id}/settings").content
    token = page.content.split(b'id="token">')[1].split(b"<")[0]
    assert token not in settings_page


def test_an_invalid_repository_name_shows_an_error_in_the_form(owner: Client) -> None:
    page = owner.post("/repositories", {"fullName": "no slash"})
    assert page.status_code == 400
    assert b"no slash" in page.content


def test_removing_a_repository_requires_typing_its_name(owner: Client, world: World) -> None:
    url = f"/repositories/{world.repository.id}/remove"
    owner.post(url, {"name": "acme"})
    assert b"acme/web" in owner.get("/repositories").content
    owner.post(url, {"name": "acme/web"})
    assert b">acme/web<" not in owner.get("/repositories").content


def test_the_list_of_builds_shows_what_needs_review(
    reviewer: Client, build_in_review: BuildInReview
) -> None:
    world, build = build_in_review
    page = reviewer.get(f"/repositories/{world.repository.id}").content.decode()
    assert f"/builds/{build.id}" in page
    assert "Needs review" in page
    assert "1 changed" in page


def test_the_history_restores_an_earlier_version(
    reviewer: Client, build_in_review: BuildInReview
) -> None:
    world, build = build_in_review
    world.approve(build)
    baseline = build.product.baselines.get()
    assert b"Current" in reviewer.get(f"/baselines/{baseline.id}").content
    reviewer.post(f"/baselines/{baseline.id}/restore", {"version": "1", "reason": "Broke it"})
    assert world.baseline() == {"a": "red", "b": "blue"}
    assert b"Broke it" in reviewer.get(f"/baselines/{baseline.id}").content


def test_another_organizations_pages_are_not_found(
    personas: Personas, build_in_review: BuildInReview
) -> None:
    world, build = build_in_review
    baseline = build.product.baselines.get()
    outsider = signed_in(personas.mallory)
    urls = [
        f"/repositories/{world.repository.id}",
        f"/repositories/{world.repository.id}/settings",
        f"/repositories/{world.repository.id}/baselines",
        f"/builds/{build.id}",
        f"/baselines/{baseline.id}",
    ]
    assert {outsider.get(url).status_code for url in urls} == {404}


def test_capture_settings_are_chosen_per_product_and_for_the_organization(
    owner: Client, world: World
) -> None:
    settings_page = f"/repositories/{world.repository.id}/settings"
    owner.post("/capture-default", {"operation": "save", "themes": ["dark"], "devices": ["phone"]})
    assert (
        "<strong>dark</strong> on <strong>phone</strong>"
        in owner.get(settings_page).content.decode()
    )
    owner.post(
        f"/repositories/{world.repository.id}/capture",
        {"productKey": "default", "operation": "save", "themes": ["light"]},
    )
    assert (
        "<strong>light</strong> on <strong>phone</strong>"
        in owner.get(settings_page).content.decode()
    )


def test_detecting_again_keeps_the_override(owner: Client, world: World) -> None:
    capture = f"/repositories/{world.repository.id}/capture"
    owner.post(capture, {"operation": "save", "themes": ["light"], "devices": ["phone"]})
    # Boxes checked on the page but not saved are not saved by redetecting either.
    owner.post(capture, {"productKey": "default", "operation": "redetect", "themes": ["dark"]})
    shown = owner.get(f"/repositories/{world.repository.id}/settings").content.decode()
    assert "The next full build detects what the stories support." in shown
    product = world.repository.products.get()
    assert (product.themes, product.devices) == (["light"], ["phone"])
    assert product.detection_armed


def test_detecting_again_keeps_an_override_that_is_saved_in_between(
    owner: Client, world: World
) -> None:
    capture = f"/repositories/{world.repository.id}/capture"
    owner.post(capture, {"operation": "save", "themes": ["light"]})
    products = world.repository.products
    with interrupted("FOR NO KEY UPDATE", lambda: products.update(themes=["dark"])):
        owner.post(capture, {"productKey": "default", "operation": "redetect"})
    product = products.get()
    assert (product.themes, product.detection_armed) == (["dark"], True)


def test_the_default_product_comes_first_and_says_so(owner: Client, world: World) -> None:
    page = f"/repositories/{world.repository.id}/settings"
    assert "Default product" not in owner.get(page).content.decode()
    for key in ("web", "docs"):
        world.publish({"a": "red"}, product_key=key)
    shown = owner.get(page).content.decode()
    order = ["Capture settings of web", "Default product", "Capture settings of docs"]
    assert sorted(order, key=shown.index) == order
    assert shown.count("Default product") == 1
    # A form without a product is of the default one.
    owner.post(f"/repositories/{world.repository.id}/capture", {"themes": ["dark"]})
    assert world.repository.products.get(key="web").themes == ["dark"]
