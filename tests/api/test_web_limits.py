"""Rate limits of the forms for creating accounts and credentials."""

from django.test import Client

from tests.support.pages import signed_in
from tests.support.personas import Personas
from visual_review.accounts.models import ApiKey

KEY = {"name": "k", "scope": "user", "expires_days": "30"}
SIGNUPS_A_MINUTE = 20
KEYS_AN_HOUR = 60


def test_guessing_invitation_and_setup_links_is_rate_limited(client: Client, db: None) -> None:
    assert db is None
    urls = ("/invitations/vr_invite_x", "/setup/vr_setup_x")
    statuses = [client.post(urls[turn % 2], {}).status_code for turn in range(22)]
    assert statuses == [404] * SIGNUPS_A_MINUTE + [429] * 2
    page = client.post(urls[0], {})
    assert "Too many attempts" in page.content.decode()
    # Opening a link is still possible: others may share the IP address.
    assert client.get(urls[0]).status_code == 404


def test_creating_keys_is_rate_limited_for_each_person(personas: Personas) -> None:
    bob, carol = signed_in(personas.bob), signed_in(personas.carol)
    made = [bob.post("/keys", KEY).status_code for _ in range(KEYS_AN_HOUR + 1)]
    assert made == [200] * KEYS_AN_HOUR + [429]
    assert ApiKey.objects.count() == KEYS_AN_HOUR
    assert bob.get("/keys").status_code == 200
    assert carol.post("/keys", KEY).status_code == 200
