"""The list of repositories: open reviews of each, the order, and changing names."""

import html
import re

import pytest
from django.test import Client

from tests.support.action_calls import act
from tests.support.hosted_world import hosted_world
from tests.support.pages import signed_in, text_of
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.audit.models import AuditEntry
from visual_review.kernel.clock import now
from visual_review.repositories.models import Repository, StorageUse


@pytest.fixture
def client(personas: Personas) -> Client:
    return signed_in(personas.alice)


def names_in(page: str) -> list[str]:
    return re.findall(r"<bdi>(acme/[^<]+)</bdi></a></td>", page)


def test_a_repository_shows_its_last_build_and_what_waits(
    personas: Personas, client: Client
) -> None:
    world = World(personas.alice)
    world.approve(world.publish({"a": "red"}))
    for branch in ("one", "two"):
        world.publish({"a": "blue"}, branch)
    total = {"images_bytes": 3 << 20, "pictures_bytes": 1 << 20}
    StorageUse.objects.create(
        organization=personas.alice.organization,
        repository=world.repository,
        measured_at=now(),
        **total,
    )
    page = text_of(client, "/repositories")
    assert ">#1</a>" in page
    assert "Approved" in page
    assert "2 builds</a>" in page
    assert "4.0\xa0MB" in page


def test_the_list_is_searched_and_ordered(personas: Personas, client: Client) -> None:
    for name in ("acme/web", "acme/shop", "acme/docs"):
        World(personas.alice, name)
    shop = World(personas.alice, "acme/mail")
    shop.publish({"a": "red"})
    assert names_in(text_of(client, "/repositories")) == sorted(
        ["acme/web", "acme/shop", "acme/docs", "acme/mail"]
    )
    for order in ("waiting", "newest"):
        assert names_in(text_of(client, f"/repositories?order={order}"))[0] == "acme/mail"
    assert names_in(text_of(client, "/repositories?q=SHO")) == ["acme/shop"]
    assert "No repositories found" in text_of(client, "/repositories?q=none")


@pytest.mark.parametrize("order", ["name", "waiting", "newest", "storage"])
def test_pages_of_any_order_show_each_repository_once(
    personas: Personas, client: Client, order: str
) -> None:
    Repository.objects.bulk_create(
        Repository(organization=personas.alice.organization, full_name=f"acme/r{number:03}")
        for number in range(120)
    )
    World(personas.alice, "acme/last").publish({"a": "red"})
    url, seen = f"?order={order}", []
    while url:
        page = text_of(client, f"/repositories{url}")
        seen += names_in(page)
        following = re.findall(r'rel="next" href="([^"]+)"', page)
        url = html.unescape(following[0]) if following else ""
    assert len(seen) == 121
    assert len(set(seen)) == 121


def test_name_and_default_branch_are_changed(personas: Personas, client: Client) -> None:
    world = World(personas.alice)
    World(personas.alice, "acme/shop")
    url = f"/repositories/{world.repository.pk}/name"
    client.post(url, {"fullName": "acme/site", "defaultBranch": "next"})
    row = Repository.objects.get(pk=world.repository.pk)
    assert (row.full_name, row.default_branch) == ("acme/site", "next")
    entry = AuditEntry.objects.get(verb="repository.changed")
    assert entry.before == {"fullName": "acme/web", "defaultBranch": "main"}
    mistakes = {
        "is already connected": {"fullName": "ACME/shop", "defaultBranch": "next"},
        "must have the form owner/repo": {"fullName": "site", "defaultBranch": "next"},
        "is not a branch name": {"fullName": "acme/site", "defaultBranch": "a b"},
    }
    for message, fields in mistakes.items():
        assert message in client.post(url, fields, follow=True).content.decode()
    row.refresh_from_db()
    assert (row.full_name, row.default_branch) == ("acme/site", "next")


def test_the_git_provider_decides_the_name_of_a_connected_repository(personas: Personas) -> None:
    row = hosted_world(personas.alice).repository
    fields = {"repoId": row.pk, "fullName": "acme/site", "defaultBranch": "next"}
    with pytest.raises(Exception, match="Git provider decides"):
        act(personas.alice, "rename_repo", **fields)
    act(personas.alice, "rename_repo", **{**fields, "fullName": row.full_name})
    row.refresh_from_db()
    assert row.default_branch == "next"


def test_the_url_of_a_form_shows_a_page(client: Client) -> None:
    response = client.get("/repositories/at-host")
    assert response.status_code == 405
    assert "This URL only takes what a form sends." in response.content.decode()
    assert response["Allow"] == "POST"
