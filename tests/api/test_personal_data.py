"""A person exports all data on them, and deletes their account."""

import json

import pytest
from django.test import Client

from tests.support.action_calls import act
from tests.support.pages import signed_in
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.accounts.keys import NewKey, create_key
from visual_review.accounts.models import ApiKey, Membership, Organization, User
from visual_review.audit.models import AuditEntry
from visual_review.builds.models import Build, Comment, ReviewEntry, Screenshot
from visual_review.jobs.accounts.forget_person import COPIES, forget_person
from visual_review.web.views import account as module


@pytest.fixture
def world(personas: Personas) -> World:
    """A build approved and commented by Bob."""
    world = World(personas.alice)
    build = world.publish({"a": "red"})
    act(personas.bob, "approve_build", buildId=build.pk)
    shot = world.shot(build, "a")
    act(personas.bob, "write_comment", screenshotId=shot.pk, text="A fine red.")
    create_key(personas.bob.caller, NewKey("user", "laptop", ["builds:view"]))
    return world


def delete(client: Client, email: str) -> object:
    return client.post("/account/delete", {"email": email})


@pytest.mark.usefixtures("world")
def test_the_export_has_everything_of_the_person_alone(personas: Personas) -> None:
    response = signed_in(personas.bob).get("/account/data.jsonl")
    facts = [json.loads(line) for line in response.content.decode().splitlines()]
    assert facts[0]["email"] == personas.bob.user.email
    kinds = {fact["kind"] for fact in facts}
    assert kinds >= {
        "account",
        "membership",
        "session",
        "apiKey",
        "comment",
        "decision",
        "logEntry",
    }
    (comment,) = [fact for fact in facts if fact["kind"] == "comment"]
    assert comment["text"] == "A fine red."
    assert "secret_hash" not in response.content.decode()
    carols = signed_in(personas.carol).get("/account/data.jsonl").content.decode()
    assert "A fine red." not in carols
    assert "bob@" not in carols


@pytest.mark.usefixtures("world")
def test_an_export_that_is_too_large_says_so(
    personas: Personas, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_ROWS", 1)
    text = signed_in(personas.bob).get("/account/data.jsonl").content.decode()
    assert '{"kind": "incomplete", "of": "logEntry", "shown": 1}' in text


@pytest.mark.usefixtures("world")
def test_decisions_stay_without_the_name(personas: Personas) -> None:
    bob = personas.bob.user
    client, other = signed_in(personas.bob), signed_in(personas.bob)
    delete(client, "someone@example.com")
    assert User.objects.filter(pk=bob.pk).exists()
    assert delete(client, bob.email)["Location"] == "/sign-in"  # type: ignore[index]
    forget_person(bob.pk, bob.email)
    # An interrupted job runs again.
    forget_person(bob.pk, bob.email)
    assert not User.objects.filter(email=bob.email).exists()
    assert not Membership.objects.filter(user_id=bob.pk).exists()
    assert not ApiKey.objects.filter(user_id=bob.pk).exists()
    assert other.get("/account").status_code == 302
    build = Build.objects.get()
    assert (build.review_state, build.decided_by_name) == ("approved", "Deleted person")
    assert Screenshot.objects.get().decided_by_name == "Deleted person"
    assert ReviewEntry.objects.first().decided_by_name == "Deleted person"
    assert Comment.objects.get().author_name == "Deleted person"
    names = AuditEntry.objects.filter(actor_id=bob.pk).values_list("actor_name", flat=True)
    assert set(names) == {"Deleted person"}
    everything = str([list(manager.values()) for manager, _, _ in COPIES])
    assert bob.email not in everything
    assert "'Bob'" not in everything


def test_an_owner_who_is_needed_cannot_leave(personas: Personas) -> None:
    alice = personas.alice
    client = signed_in(alice)
    delete(client, alice.user.email)
    page = client.get("/account/delete").content.decode()
    assert "You are the only owner of Acme." in page
    Membership.objects.filter(user=personas.bob.user).update(role="owner")
    Organization.objects.filter(pk=alice.organization.pk).update(password_owner=alice.user)
    delete(client, alice.user.email)
    assert "may use a password in Acme" in client.get("/account/delete").content.decode()
    Organization.objects.update(password_owner=None)
    delete(client, alice.user.email)
    assert not User.objects.filter(pk=alice.user.pk).exists()
