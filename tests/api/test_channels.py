"""The pages of channels: who sees them, a secret shown once, and mistakes in the form."""

import pytest
from django.test import Client

from tests.support.pages import signed_in
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.accounts.models import Membership
from visual_review.kernel.encryption import decrypt
from visual_review.messages.models import Channel, Delivery

URL = "https://hooks.example.com/T0/secret"
FORM = {
    "kind": "webhook",
    "url": URL,
    "types": ["build.needs_review"],
    "branch": "",
    "repository": "",
}


@pytest.fixture
def admin(personas: Personas) -> Client:
    return signed_in(personas.alice)


def test_a_channel_is_created_and_its_secret_is_shown_once(
    admin: Client, personas: Personas
) -> None:
    page = admin.post("/messages", FORM).content.decode()
    channel = Channel.objects.get()
    secret = decrypt(channel.secret)
    assert secret in page
    World(personas.alice).publish({"a": "red"})
    for url in ("/messages", f"/messages/{channel.pk}"):
        shown = admin.get(url).content.decode()
        assert "hooks.example.com" in shown
        assert secret not in shown
        assert "T0/secret" not in shown
    assert "build.needs_review" in admin.get(f"/messages/{channel.pk}").content.decode()


def test_a_secret_is_rotated_and_a_channel_removed(admin: Client) -> None:
    admin.post("/messages", FORM)
    channel = Channel.objects.get()
    change = f"/messages/{channel.pk}/change"
    page = admin.post(change, {"operation": "rotate"}).content.decode()
    channel.refresh_from_db()
    assert decrypt(channel.secret) in page
    assert admin.post(change, {"operation": "explode"}).status_code == 302
    assert Channel.objects.exists()
    admin.post(change, {"operation": "remove"})
    assert not Channel.objects.exists()


def test_mistakes_are_named_next_to_the_form(admin: Client) -> None:
    for values, message in (
        ({"url": "ftp://example.com"}, "must begin with https"),
        ({"types": []}, "This field is required"),
        ({"kind": "slack", "types": ["comment.created"]}, "at least one event"),
        ({"kind": "pigeon"}, "pigeon is not one of the available choices"),
    ):
        response = admin.post("/messages", FORM | values)
        assert (response.status_code, message in response.content.decode()) == (400, True)
    assert not Channel.objects.exists()


def test_reviewers_and_others_have_no_channels(admin: Client, personas: Personas) -> None:
    admin.post("/messages", FORM)
    channel = Channel.objects.get()
    World(personas.alice).publish({"a": "red"})
    delivery = Delivery.objects.get()
    again = f"/messages/deliveries/{delivery.pk}/again"
    bob, mallory = signed_in(personas.bob), signed_in(personas.mallory)
    Membership.objects.filter(user=personas.bob.user).update(role="reviewer")
    for url in ("/messages", f"/messages/{channel.pk}"):
        assert bob.get(url).status_code == 403
    assert mallory.get(f"/messages/{channel.pk}").status_code == 404
    for person, status in ((bob, 403), (mallory, 404)):
        assert person.post(again).status_code == status
        change = person.post(f"/messages/{channel.pk}/change", {"operation": "remove"})
        assert change.status_code == status
    assert admin.post(again).status_code == 302
