"""Who may open which page and press which button: strangers, other organizations, each role."""

import re
from dataclasses import dataclass

import pytest
from django.test import Client
from django.urls import URLPattern
from pytest_django.fixtures import Settings

from tests.actions.telling.hosted import ADDRESS, hosted
from tests.doors.pages import signed_in
from tests.personas import Personas
from tests.recording_rows import enable, record
from visual_review.accounts.keys import NewKey, create_key
from visual_review.accounts.models import Invitation, Membership
from visual_review.accounts.oauth.client_rules import ClientFacts
from visual_review.accounts.oauth.clients import register
from visual_review.accounts.oauth.grants import connect
from visual_review.audit.models import AuditEntry
from visual_review.builds.host_models import HostMessage
from visual_review.builds.models import Baseline
from visual_review.web.urls import urlpatterns

ROLES = ("viewer", "reviewer", "admin", "owner")
# Anybody may come here: signing in, and what a one-time link opens.
PUBLIC = {
    "account_login",
    "account_logout",
    "account_inactive",
    "account_reset_password",
    "account_reset_password_done",
    "account_reset_password_from_key",
    "account_reset_password_from_key_done",
    "setup",
    "invitation",
}
# Of the person, in whichever organization.
PERSONAL = {
    "home",
    "account",
    "account_change_password",
    "switch_organization",
    "authorize",
    "apps",
    "connect_client",
}


@dataclass(frozen=True)
class Page:
    """An address by name: the fields of its button, and the least role that may see or press it."""

    name: str
    least: str = "viewer"
    fields: dict[str, str] | None = None
    opens: bool = True
    # What opening it answers; a picture leads on to where it lies.
    status: int = 200


PAGES = (
    Page("repositories", "admin", {"fullName": "acme/other"}),
    Page("capture_default", "admin", {"themes": "dark"}, opens=False),
    Page("repository"),
    Page("repository_settings"),
    Page("rotate_token", "admin", {}, opens=False),
    Page("remove_repository", "admin", {"name": "acme/web"}, opens=False),
    Page("repository_retention", "admin", {"buildsDays": "9"}, opens=False),
    Page("repository_capture", "admin", {"themes": "dark"}, opens=False),
    Page("baselines"),
    Page("baseline"),
    Page("restore_baseline", "reviewer", {"move": "1"}, opens=False),
    Page("build"),
    Page("decide_build", "reviewer", {"wish": "approve_build"}, opens=False),
    Page("composite", status=302),
    Page("outbox"),
    Page("send_again", "admin", {}, opens=False),
    Page("repository_host", "admin", {"reviewDueStatus": "failure"}, opens=False),
    Page("review_screenshot", "reviewer", {"state": "rejected"}, opens=False),
    Page("recordings"),
    Page("recordings_enrollment", "admin", {"wish": "disable"}, opens=False),
    Page("recording"),
    Page("delete_recording", "admin", {}, opens=False),
    Page("keys", "viewer", {"name": "k", "scope": "user"}),
    Page("members", "owner", {"email": "new@example.com", "role": "viewer"}),
    Page("change_role", "owner", {"role": "admin"}, opens=False),
    Page("remove_member", "owner", {}),
    Page("make_password_link", "owner", {}, opens=False),
    Page("revoke_invitation", "owner", {}, opens=False),
)
# Their address is the same for every organization.
COMMON = {"repositories", "capture_default", "keys", "members"}
NAMING = [page for page in PAGES if page.name not in COMMON]
# Seen and pressed by few, and not the same few.
OTHERS = {
    *("audit", "revoke_key", "disconnect_app", "repository_identity"),
    *("source_host", "change_host_credentials", "check_host", "host_repositories"),
    *("renew_webhook_secret", "disconnect_host"),
    *("storage", "measure_storage", "organization_retention"),
}


@dataclass(frozen=True)
class Place:
    """One of everything in Acme, by the name its address gives it."""

    ids: dict[str, str]

    def address(self, page: str) -> str:
        route = next(str(each.pattern) for each in _patterns() if each.name == page)
        return "/" + re.sub(r"<str:(\w+)>", lambda found: self.ids[found[1]], route)


def _patterns() -> list[URLPattern]:
    return [each for each in urlpatterns if isinstance(each, URLPattern)]


@pytest.fixture
def place(personas: Personas, settings: Settings) -> Place:
    settings.SOURCE_HOSTS = (ADDRESS,)
    here = hosted(personas.alice)
    here.host.add_repository("acme/other")
    world = here.world
    for color in ("red", "green"):
        world.act("approve_build", buildId=world.publish({"a": color}).id)
    build = world.publish({"a": "blue"})
    world.act("invite_member", email="dana@example.com", role="viewer")
    enable(world.repository)
    key, _ = create_key(personas.alice.caller, NewKey("organization", "k", ["repos:view"]))
    client = register(ClientFacts("An agent", ("http://localhost/callback",)))
    grant, _ = connect(personas.carol.caller, client, "read", "read")
    return Place(
        {
            "repository_id": world.repository.id,
            "build_id": build.id,
            "baseline_id": Baseline.objects.get().id,
            "recording_id": record(world.repository).id,
            "screenshot_id": world.shot(build, "a").id,
            "key_id": key.id,
            "message_id": HostMessage.objects.all()[0].id,
            "grant_id": grant.id,
            "membership_id": Membership.objects.get(user=personas.carol.user).id,
            "invitation_id": Invitation.objects.get().id,
        }
    )


def test_every_page_is_in_these_tables() -> None:
    named = {each.name for each in _patterns()}
    assert named == PUBLIC | PERSONAL | OTHERS | {page.name for page in PAGES}


@pytest.mark.parametrize("name", [*sorted(OTHERS | PERSONAL), *(page.name for page in PAGES)])
def test_a_stranger_is_sent_to_sign_in(client: Client, place: Place, name: str) -> None:
    before = AuditEntry.objects.count()
    address = place.address(name)
    for answer in (client.get(address), client.post(address, {"name": "acme/web"})):
        assert answer.status_code in {302, 405}
        if answer.status_code == 302:
            assert answer["Location"].startswith("/sign-in?next=/")
    assert AuditEntry.objects.count() == before


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
@pytest.mark.parametrize("role", ROLES)
def test_each_role_opens_and_presses_what_it_may(
    personas: Personas, place: Place, page: Page, role: str
) -> None:
    Membership.objects.filter(user=personas.bob.user).update(role=role)
    client = signed_in(personas.bob)
    address = place.address(page.name)
    assert client.get(address).status_code == (page.status if page.opens else 405)
    if page.fields is None:
        assert client.post(address).status_code == 405
        return
    before = AuditEntry.objects.count()
    status = client.post(address, page.fields).status_code
    if ROLES.index(role) < ROLES.index(page.least):
        assert (status, AuditEntry.objects.count()) == (403, before)
    else:
        assert status in {200, 302}
        assert AuditEntry.objects.count() > before


@pytest.mark.parametrize("role", ROLES)
def test_keys_of_the_organization_and_the_log_are_for_admins_and_owners(
    personas: Personas, place: Place, role: str
) -> None:
    Membership.objects.filter(user=personas.bob.user).update(role=role)
    client = signed_in(personas.bob)
    manages = role in {"admin", "owner"}
    assert client.get("/audit").status_code == (200 if manages else 403)
    revoke = place.address("revoke_key")
    assert client.get(revoke).status_code == (200 if manages else 404)
    assert client.post(revoke).status_code == (302 if manages else 404)


@pytest.mark.parametrize("role", ROLES)
def test_a_members_app_is_disconnected_by_admins_and_owners(
    personas: Personas, place: Place, role: str
) -> None:
    Membership.objects.filter(user=personas.bob.user).update(role=role)
    client = signed_in(personas.bob)
    manages = role in {"admin", "owner"}
    assert ("An agent" in client.get("/account/apps").content.decode()) == manages
    address = place.address("disconnect_app")
    assert client.get(address).status_code == 405
    assert client.post(address).status_code == (302 if manages else 404)
    assert AuditEntry.objects.filter(verb="app.disconnected").exists() == manages


def test_another_organization_finds_no_app_of_ours(personas: Personas, place: Place) -> None:
    client = signed_in(personas.mallory)
    assert "An agent" not in client.get("/account/apps").content.decode()
    assert client.post(place.address("disconnect_app")).status_code == 404


@pytest.mark.parametrize("page", NAMING, ids=lambda page: page.name)
def test_another_organization_finds_nothing_of_ours(
    personas: Personas, place: Place, page: Page
) -> None:
    client = signed_in(personas.mallory)
    address = place.address(page.name)
    before = AuditEntry.objects.count()
    if page.opens:
        assert client.get(address).status_code == 404
    if page.fields is not None:
        assert client.post(address, page.fields).status_code == 404
    assert AuditEntry.objects.count() == before


def test_a_role_taken_away_acts_on_the_next_call(personas: Personas, place: Place) -> None:
    client = signed_in(personas.bob)
    decide = place.address("decide_build")
    assert client.get(place.address("build")).status_code == 200
    Membership.objects.filter(user=personas.bob.user).update(role="viewer")
    assert client.post(decide, {"wish": "approve_build"}).status_code == 403
    Membership.objects.filter(user=personas.bob.user).delete()
    assert client.get(place.address("build")).status_code == 403
