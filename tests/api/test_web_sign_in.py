"""Signing in and out through the pages, with real templates."""

from django.test import Client

from tests.support.pages import sign_in
from tests.support.personas import PASSWORD, Personas
from visual_review.accounts.models import User
from visual_review.audit.models import AuditEntry

OUTSIDE = "https://evil.example/"


def test_an_anonymous_visitor_signs_in_and_returns_to_the_page(
    client: Client, personas: Personas
) -> None:
    response = client.get("/repositories")
    assert response["Location"] == "/sign-in?next=/repositories"
    response = client.post(
        response["Location"], {"login": personas.alice.user.email, "password": PASSWORD}
    )
    assert response["Location"] == "/repositories"
    assert client.get("/repositories").status_code == 200


def test_signing_in_is_in_the_audit_log_without_a_secret(
    client: Client, personas: Personas
) -> None:
    sign_in(client, "ALICE@example.com")
    entry = AuditEntry.objects.get()
    assert (entry.verb, entry.actor_id) == ("session.signed_in", personas.alice.user.id)
    assert PASSWORD not in str(list(AuditEntry.objects.values()))


def test_sign_in_never_redirects_to_another_site(client: Client, personas: Personas) -> None:
    response = sign_in(client, personas.alice.user.email, next=OUTSIDE)
    assert response["Location"] == "/"


def test_a_wrong_password_and_an_unknown_email_get_the_same_error(
    client: Client, personas: Personas
) -> None:
    wrong = sign_in(client, personas.alice.user.email, "wrong password")
    unknown = sign_in(client, "nobody@example.com", "wrong password")
    errors = [response.context["form"].non_field_errors() for response in (wrong, unknown)]
    assert errors[0]
    assert list(errors[0]) == list(errors[1])
    assert [entry.verb for entry in AuditEntry.objects.all()] == ["session.sign_in_failed"]


def test_an_inactive_account_cannot_sign_in(client: Client, personas: Personas) -> None:
    User.objects.filter(pk=personas.bob.user.pk).update(is_active=False)
    sign_in(client, personas.bob.user.email)
    assert client.get("/account").status_code == 302
    assert client.get("/inactive").status_code == 200
