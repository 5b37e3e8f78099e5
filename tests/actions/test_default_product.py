"""The product of a call that names none: ``default``, else the first published one."""

from datetime import timedelta
from threading import Event

import pytest
from django.db import transaction

from tests.support.action_calls import act, error_of
from tests.support.case import Case
from tests.support.ci.publish_client import connect
from tests.support.personas import Personas
from tests.support.threads import WAIT_SECONDS, racers, wait_until_another_waits_for_me
from tests.support.worlds import World
from visual_review.builds.models import Build
from visual_review.kernel.clock import now
from visual_review.kernel.errors import NotFoundError
from visual_review.repositories.models import Product, Repository
from visual_review.repositories.queries import published_product

PLACE = {"storyId": "a", "theme": "light", "device": "desktop"}


def meant(world: World) -> str:
    """Return the key of the product changed by a call without one."""
    result = act(
        world.persona, "set_dynamic_regions", repoId=world.repository.id, **PLACE, regions=[]
    )
    captured = act(world.persona, "set_repo_capture", repoId=world.repository.id).capture
    assert result.product_key == captured.product_key
    return captured.product_key


def keys(repository: Repository) -> list[str]:
    return sorted(repository.products.values_list("key", flat=True))


def test_it_is_the_first_published_one_until_default_is_published(world: World) -> None:
    assert meant(world) == "default"
    for published, expected in (("web", "web"), ("docs", "web"), ("default", "default")):
        world.publish({"a": "red"}, product_key=published)
        assert meant(world) == expected
    world.publish({"a": "red"}, product_key="admin")
    assert meant(world) == "default"


def test_no_product_exists_that_was_not_published(world: World) -> None:
    world.publish({"a": "red"}, product_key="web")
    assert keys(world.repository) == ["web"]
    repo = world.repository.id
    error = error_of(
        NotFoundError, world.persona, "set_repo_capture", repoId=repo, productKey="default"
    )
    assert "It has 'web'." in str(error)


def test_settings_made_before_the_first_publish_are_those_of_its_product(
    personas: Personas,
) -> None:
    job = connect(personas.alice)
    repo = job.repository.id
    act(personas.alice, "set_repo_capture", repoId=repo, themes=["dark"], devices=["phone"])
    plan = job.plan(branch="main", productKey="web")
    assert (plan["productKey"], plan["themes"], plan["devices"]) == ("web", ["dark"], ["phone"])
    # Asking for the capture plan publishes nothing.
    assert keys(job.repository) == ["default"]
    job.create(productKey="web")
    assert job.repository.products.get().themes == ["dark"]
    assert job.plan(branch="main", productKey="docs")["themes"] == ["light", "dark"]


def test_a_recording_can_be_the_first_that_is_published(personas: Personas) -> None:
    job = connect(personas.alice)
    act(personas.alice, "enable_recordings", repoId=job.repository.id)
    body = {
        "key": "run-1",
        "title": "Signs in",
        "productKey": "e2e",
        "branch": "main",
        "commit": "c0ffee1",
        "outcome": "passed",
        "fileName": "video.webm",
        "size": 10,
        "sha256": "0" * 64,
    }
    assert job.call("POST", "recordings", body).status_code == 200
    assert keys(job.repository) == ["e2e"]


def test_an_unknown_key_is_not_found_and_the_error_lists_the_keys(case: Case, world: World) -> None:
    for key in ("default", "docs"):
        world.publish({"a": "red"}, product_key=key)
    repo = {"repoId": world.repository.id, "productKey": "dosc"}
    for action, more in (
        ("list_builds", {}),
        ("list_recordings", {}),
        ("set_repo_capture", {}),
        ("set_dynamic_regions", {**PLACE, "regions": []}),
    ):
        with case(action):
            error = error_of(NotFoundError, world.persona, action, **repo, **more)
            assert str(error).startswith(
                "The repository has no product 'dosc'. It has 'default', 'docs'."
            )


def test_an_error_lists_no_more_than_twenty_keys(world: World) -> None:
    Product.objects.bulk_create(
        Product(repository=world.repository, key=f"p{number:02}") for number in range(24)
    )
    error = error_of(
        NotFoundError, world.persona, "list_builds", repoId=world.repository.id, productKey="x"
    )
    assert "'p18' and 5 more. A product is created" in str(error)


def old_products(world: World, *published: str) -> None:
    """Create a build of each product, as before the default product was stored."""
    for age, key in enumerate(reversed(published)):
        product, _ = Product.objects.get_or_create(repository=world.repository, key=key)
        Product.objects.filter(pk=product.pk).update(created_at=now() - timedelta(days=age))
        Build.objects.create(
            repository=world.repository, product=product, number=age + 1, branch="main"
        )


@pytest.mark.django_db(transaction=True)
def test_a_call_that_waits_for_the_first_publish_means_its_product(world: World) -> None:
    def publish() -> str:
        with transaction.atomic():
            product = published_product(Repository.objects.get(), "web")
            started.set()
            wait_until_another_waits_for_me()
            return product.key

    def change() -> str:
        assert started.wait(WAIT_SECONDS)
        return str(act(world.persona, "set_repo_capture", repoId=repo).capture.product_key)

    repo, started = world.repository.id, Event()
    with racers(2) as pool:
        assert pool.race(publish, change) == ["web", "web"]
