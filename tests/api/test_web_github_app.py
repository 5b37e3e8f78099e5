"""Connecting GitHub with an app, created by GitHub from a manifest."""

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from pytest_django.fixtures import Settings
from scripts.local_host.memory import MemoryWorld

from tests.support.hosts.github.fake_github import APP_SECRET, INSTALLATION, FakeGitHub
from tests.support.hosts.github.fake_service import app_key, pem
from tests.support.hosts.local_server import LocalServer, local_server
from tests.support.pages import signed_in, text_of
from tests.support.personas import Personas
from visual_review.accounts.models import Membership
from visual_review.audit.models import AuditEntry
from visual_review.kernel.encryption import decrypt
from visual_review.repositories.host_accounts import credentials_of
from visual_review.repositories.models import HostAccount

PAGE = "/source-host"
CODE = "code-of-the-manifest"


@dataclass(frozen=True)
class GitHub:
    fake: FakeGitHub
    server: LocalServer

    def confirm(self, client: Client, organization: str = "acme") -> tuple[Any, str]:
        """Start on our page, and confirm at GitHub; return the manifest and GitHub's query."""
        form = {"address": self.server.address, "organization": organization}
        response = client.post(f"{PAGE}/github-app", form)
        page = response.content.decode()
        assert response.status_code == 200, page
        assert f"form-action 'self' {self.server.address};" in response["Content-Security-Policy"]
        action = html.unescape(re.findall(r'action="(http[^"]+)"', page)[0])
        manifest = html.unescape(re.findall(r'name="manifest" value="([^"]+)"', page)[0])
        owner = f"organizations/{organization}/settings" if organization else "settings"
        assert action.startswith(f"{self.server.address}/{owner}/apps/new?state=")
        self.fake.confirmed[CODE] = pem(app_key())
        state = parse_qs(urlsplit(action).query)["state"][0]
        return json.loads(manifest), f"?code={CODE}&state={state}"


@pytest.fixture
def github(settings: Settings) -> Iterator[GitHub]:
    fake = FakeGitHub(MemoryWorld("memory://app", "visual-review[bot]"), app_key().public_key())
    with local_server(fake.handle) as server:
        settings.SOURCE_HOSTS = (server.address,)
        settings.PUBLIC_URL = "https://review.test"
        yield GitHub(fake, server)


def problem_of(client: Client, url: str) -> str:
    response = client.get(url)
    assert response.status_code == 400
    return response.content.decode()


def test_an_app_is_created_installed_and_connected(github: GitHub, personas: Personas) -> None:
    client = signed_in(personas.alice)
    assert "Create a GitHub App" in text_of(client, PAGE)
    manifest, query = github.confirm(client)
    assert manifest["default_permissions"]["members"] == "read"
    assert manifest["public"] is False
    created = client.get(f"{PAGE}/github-app/created{query}")
    install = f"{github.server.address}/apps/visual-review/installations/new"
    assert created["Location"] == install
    # The person may come back without installing the app.
    assert install in client.get(PAGE).content.decode()
    assert "is not installed yet" in problem_of(client, f"{PAGE}/github-app/installed")
    key = pem(app_key())
    assert key not in str(client.session.items())
    installed = f"{PAGE}/github-app/installed?installation_id={INSTALLATION}"
    page = client.get(installed, follow=True).content.decode()
    assert "The GitHub App is connected." in page
    account = HostAccount.objects.get()
    assert manifest["hook_attributes"]["url"].endswith(f"/api/webhooks/hosts/{account.id}")
    assert decrypt(account.webhook_secret) == APP_SECRET
    wanted = {"app_id": "12345", "installation_id": INSTALLATION, "private_key": key}
    assert credentials_of(account) == wanted
    assert account.name == "visual-review[bot]"
    assert AuditEntry.objects.get(verb="host.connected").target_id == account.id
    # GitHub leads here again when the installation is changed.
    assert client.get(installed)["Location"] == PAGE
    assert HostAccount.objects.count() == 1


def test_a_repeated_request_creates_nothing_twice(github: GitHub, personas: Personas) -> None:
    client = signed_in(personas.alice)
    _, query = github.confirm(client)
    first = client.get(f"{PAGE}/github-app/created{query}")
    again = client.get(f"{PAGE}/github-app/created{query}")
    assert first["Location"] == again["Location"]


def test_responses_of_other_sessions_and_used_codes_are_refused(
    github: GitHub, personas: Personas
) -> None:
    client = signed_in(personas.alice)
    _, query = github.confirm(client)
    url = f"{PAGE}/github-app/created"
    for wrong in ("", f"?code={CODE}", f"?code={CODE}&state=other"):
        assert "another browser or session" in problem_of(client, url + wrong)
    assert "another browser" in problem_of(signed_in(personas.alice), url + query)
    assert github.fake.confirmed
    github.fake.confirmed.clear()
    assert "no longer knows this code" in problem_of(client, url + query)
    assert not HostAccount.objects.exists()


def test_an_app_is_connected_to_the_organization_that_began(
    github: GitHub, personas: Personas
) -> None:
    other = personas.mallory.organization
    Membership.objects.create(organization=other, user=personas.alice.user, role="owner")
    client = signed_in(personas.alice)
    _, query = github.confirm(client)
    client.get(f"{PAGE}/github-app/created{query}")
    client.post("/account/organization", {"organization": other.id})
    url = f"{PAGE}/github-app/installed?installation_id={INSTALLATION}"
    assert "another browser or session" in problem_of(client, url)
    client.post("/account/organization", {"organization": personas.alice.organization.id})
    client.get(url)
    assert HostAccount.objects.get().organization == personas.alice.organization
    # A page opened before must not lead to a second app.
    again = client.post(f"{PAGE}/github-app", {"address": github.server.address}, follow=True)
    assert "is already connected" in again.content.decode()


def test_an_installation_that_is_not_the_apps_is_refused(
    github: GitHub, personas: Personas
) -> None:
    client = signed_in(personas.alice)
    _, query = github.confirm(client)
    client.get(f"{PAGE}/github-app/created{query}")
    page = problem_of(client, f"{PAGE}/github-app/installed?installation_id=99")
    assert "no installation 99" in page
    assert not HostAccount.objects.exists()
    # Nothing is lost: the right installation is connected afterwards.
    client.get(f"{PAGE}/github-app/installed?installation_id={INSTALLATION}")
    assert HostAccount.objects.count() == 1


def test_a_persons_app_has_no_members_and_a_local_service_no_webhooks(
    github: GitHub, personas: Personas, settings: Settings
) -> None:
    settings.PUBLIC_URL = "http://localhost:8000"
    manifest, _ = github.confirm(signed_in(personas.alice), "")
    assert "members" not in manifest["default_permissions"]
    assert "hook_attributes" not in manifest


@pytest.mark.parametrize(
    "form", [{"address": "https://evil.test"}, {"organization": "acme/../x"}, {"address": ""}]
)
def test_other_places_are_refused(github: GitHub, personas: Personas, form: dict[str, str]) -> None:
    wanted = {"address": github.server.address, "organization": "acme"} | form
    response = signed_in(personas.alice).post(f"{PAGE}/github-app", wanted)
    assert response.status_code == 400
    assert 'name="manifest"' not in response.content.decode()


def test_only_people_who_manage_repositories_create_an_app(
    github: GitHub, personas: Personas
) -> None:
    Membership.objects.filter(user=personas.bob.user).update(role="reviewer")
    client = signed_in(personas.bob)
    form = {"address": github.server.address}
    assert client.post(f"{PAGE}/github-app", form).status_code == 403
    for page in ("created", "installed"):
        assert client.get(f"{PAGE}/github-app/{page}").status_code == 403
