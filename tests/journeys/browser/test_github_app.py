"""Connecting GitHub with an app of one's own, and inviting the people of its organization."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlencode

import pytest
from pytest_django.fixtures import Settings
from scripts.local_host.memory import MemoryWorld

from tests.support.accessibility import check_page_as_shown, prepare
from tests.support.browser import OpenVisitor
from tests.support.host_accounts import connect_account, host_world
from tests.support.hosts.github.fake_github import INSTALLATION, FakeGitHub
from tests.support.hosts.github.fake_service import app_key, pem
from tests.support.hosts.local_server import (
    LocalServer,
    ReceivedRequest,
    Reply,
    local_server,
    page,
)
from tests.support.personas import Personas
from visual_review.hosts.port import HostPerson
from visual_review.repositories.models import HostAccount

CODE = "code-of-the-manifest"


@dataclass
class GitHubPages:
    """GitHub's pages for creating and installing an app, next to GitHub's API."""

    api: FakeGitHub
    manifest: dict[str, str] = field(default_factory=dict)

    def handle(self, request: ReceivedRequest) -> Reply:
        if request.path == "/organizations/acme/settings/apps/new":
            self.manifest = json.loads(parse_qs(request.body.decode())["manifest"][0])
            self.api.confirmed[CODE] = pem(app_key())
            query = urlencode({"code": CODE, "state": request.query["state"]})
            return page(f'<a href="{self.manifest["redirect_url"]}?{query}">Create GitHub App</a>')
        if request.path == "/apps/visual-review/installations/new":
            query = urlencode({"installation_id": INSTALLATION, "setup_action": "install"})
            return page(f'<a href="{self.manifest["setup_url"]}?{query}">Install</a>')
        return self.api.handle(request)


@pytest.fixture
def github(settings: Settings) -> Iterator[LocalServer]:
    world = MemoryWorld("memory://app", "visual-review[bot]")
    pages = GitHubPages(FakeGitHub(world, app_key().public_key()))
    with local_server(pages.handle) as server:
        settings.SOURCE_HOSTS = (server.address,)
        yield server


@pytest.mark.usefixtures("github")
def test_an_app_is_connected_without_copying_anything(
    open_visitor: OpenVisitor, personas: Personas
) -> None:
    visitor = open_visitor(personas.alice)
    prepare(visitor.page.context)
    visitor.open("/source-host")
    check_page_as_shown(visitor, "source_host_connect")
    visitor.page.get_by_label("Organization at GitHub").fill("acme")
    visitor.page.get_by_role("button", name="Create a GitHub App").click()
    visitor.expect_heading("Create a GitHub App")
    check_page_as_shown(visitor, "github_app")
    visitor.page.get_by_role("button", name="Continue at GitHub").click()
    visitor.page.get_by_role("link", name="Create GitHub App").click()
    visitor.page.get_by_role("link", name="Install").click()
    visitor.expect_heading("Git provider")
    visitor.page.get_by_text("The GitHub App is connected.").wait_for()
    assert HostAccount.objects.get().name == "visual-review[bot]"


def test_people_are_invited_with_their_avatars(
    open_visitor: OpenVisitor, personas: Personas
) -> None:
    connect_account(personas.alice)
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
    with local_server(lambda _: Reply(pieces=[svg.encode()], kind="image/svg+xml")) as avatars:
        host_world().add_group(
            "orgs/acme",
            "acme",
            HostPerson("dana", "Dana", "dana@example.com", f"{avatars.address}/dana"),
            HostPerson("eli", "", "", f"{avatars.address}/eli"),
            HostPerson("bob", "Bob", personas.bob.user.email, ""),
        )
        visitor = open_visitor(personas.alice)
        prepare(visitor.page.context)
        visitor.open("/members/invite")
        check_page_as_shown(visitor, "invite_people")
        widths = "() => [...document.querySelectorAll('td img')].map(image => image.naturalWidth)"
        assert visitor.page.evaluate(widths) == [9, 9]
        for login in ("Dana", "eli"):
            visitor.page.get_by_role("checkbox", name=login).check()
        visitor.page.get_by_label("E-mail address of eli").fill("eli@example.com")
        visitor.page.get_by_role("button", name="Invite", exact=True).click()
        visitor.expect_heading("2 people are invited")
        check_page_as_shown(visitor, "people_invited")
