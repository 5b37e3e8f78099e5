"""Rejections of ``visual-review keys``, and the organization of the keys."""

import pytest

from tests.support.personas import Personas
from visual_review.accounts.callers import caller_of_key
from visual_review.accounts.models import ApiKey, Organization
from visual_review.audit.models import AuditEntry
from visual_review.config.commands.keys import CreateKey, create, list_live_keys, revoke
from visual_review.config.environment import StartupError

BOB = "bob@example.com"


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        (CreateKey("x", organization="Acme"), "at least one permission"),
        (CreateKey("x", permissions=["repos:view"]), "Choose an organization"),
        (CreateKey("x", organization="Nobody Inc"), "no organization 'Nobody Inc'"),
        (CreateKey("x", user="nobody@example.com"), "no account"),
        (CreateKey("x", user=BOB, organization="Evil Corp"), "no organization 'Evil Corp'"),
        (CreateKey("x", user=BOB, permissions=["members:manage"]), "cannot have the permission"),
        (CreateKey("x", user=BOB, permissions=["repos:manage"]), "You do not have the permission"),
        (CreateKey("x", user=BOB, expires_days=0), "1 to 3650 days"),
        (CreateKey(" ", user=BOB), "printable characters"),
    ],
)
def test_an_invalid_request_is_rejected_with_a_message(
    personas: Personas, wish: CreateKey, words: str
) -> None:
    assert personas
    with pytest.raises(StartupError, match=words):
        create(wish)
    assert not ApiKey.objects.exists()


def test_a_persons_key_acts_in_their_only_organization(personas: Personas) -> None:
    caller = caller_of_key(create(CreateKey("laptop", user=" BOB@example.com")), "rest")
    assert caller.organization_id == personas.bob.organization.id
    entry = AuditEntry.objects.get()
    assert (entry.channel, entry.client) == ("cli", "visual-review keys")


def test_a_single_organization_needs_no_name(personas: Personas) -> None:
    Organization.objects.filter(pk=personas.mallory.organization.id).delete()
    key = create(CreateKey("ci", permissions=["repos:view"], expires_days=30))
    assert caller_of_key(key, "rest").organization_id == personas.alice.organization.id


def test_keys_are_listed_without_their_secrets_until_they_expire(personas: Personas) -> None:
    assert personas
    key = create(CreateKey("ci", organization="Acme", permissions=["repos:view"]))
    create(CreateKey("other", organization="Evil Corp", permissions=["repos:view"]))
    (line,) = list_live_keys("Acme")
    assert (line.name, line.owner, line.last_used) == ("ci", "organization", "never")
    assert key not in str(line)
    assert revoke(line.id, "Acme") == "ci"
    assert list_live_keys("Acme") == []
    with pytest.raises(StartupError, match="is already revoked"):
        revoke(line.id, "Acme")


def test_a_key_of_another_organization_is_unknown(personas: Personas) -> None:
    assert personas
    create(CreateKey("other", organization="Evil Corp", permissions=["repos:view"]))
    with pytest.raises(StartupError, match="no API key with this id"):
        revoke(ApiKey.objects.get().id, "Acme")
