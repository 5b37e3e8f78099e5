"""Rights left to someone with a person's old password after a change of the password."""

import re
from dataclasses import dataclass
from typing import Any

import pytest
from django.core.mail import EmailMessage
from django.test import Client
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django.fixtures import Settings

from tests.support.api_keys import call
from tests.support.case import Case
from tests.support.pages import path_of, sign_in, signed_in, text_of
from tests.support.personas import PASSWORD, Persona, Personas
from visual_review.accounts.links import password_link, password_token
from visual_review.accounts.models import ApiKey, Grant, Membership, User
from visual_review.accounts.oauth.client_rules import ClientMetadata
from visual_review.accounts.oauth.clients import register
from visual_review.accounts.oauth.grants import connect
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import any_action
from visual_review.audit.models import AuditEntry
from visual_review.jobs.accounts.mail_password_change import mail_password_change

NEW_PASSWORD = "another long enough phrase"
QUESTION = "/account/access"


def change(client: Client) -> Any:  # noqa: ANN401 - A test response.
    values = {"oldpassword": PASSWORD, "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
    return client.post("/account/password", values)


def reset(persona: Persona) -> Any:  # noqa: ANN401 - As above.
    persona.user.refresh_from_db()
    client = Client()
    link = password_link(persona.user.id, password_token(persona.user))
    form = client.get(path_of(link), follow=True)
    values = {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
    return client.post(form.request["PATH_INFO"], values, follow=True)


@dataclass(frozen=True)
class Access:
    """Bob's keys by name, and his app's grant."""

    keys: dict[str, str]
    grant: Grant

    def works(self) -> dict[str, bool]:
        working = {
            name: call(key, "list_repos", {}).status_code == 200 for name, key in self.keys.items()
        }
        self.grant.refresh_from_db()
        return {**working, "app": self.grant.disconnected_at is None}

    def id_of(self, name: str) -> str:
        return self.grant.id if name == "app" else ApiKey.objects.get(name=name).id


@pytest.fixture
def access(personas: Personas) -> Access:
    Membership.objects.filter(user=personas.bob.user).update(role="admin")
    bob = personas.bob.caller
    keys = {
        name: dispatch(
            any_action("create_api_key"),
            bob,
            {"scope": scope, "name": name, "permissions": ["repos:view"]},
        ).key
        for name, scope in (("laptop", "user"), ("phone", "user"), ("dashboard", "organization"))
    }
    client = register(ClientMetadata("An agent", ("http://localhost/callback",)))
    grant, _ = connect(bob, client, "read", "read")
    return Access(keys, grant)


def elsewhere(persona: Persona) -> list[tuple[Client, str, str]]:
    """Return sessions of someone else signed in as the person, with the requests to try."""
    tries = (
        ("GET", "/account"),
        ("GET", "/keys"),
        ("POST", "/keys"),
        ("POST", "/account/password"),
        ("GET", "/oauth/authorize"),
        ("POST", QUESTION),
    )
    return [(signed_in(persona), method, path) for method, path in tries]


@pytest.mark.parametrize("how", ["changed", "reset"])
def test_all_other_sessions_end_with_the_next_request(
    case: Case, personas: Personas, how: str
) -> None:
    sessions = elsewhere(personas.bob)
    current = signed_in(personas.bob)
    if how == "changed":
        change(current)
        assert current.get("/account").status_code == 200
    else:
        reset(personas.bob)
        assert current.get("/account").status_code == 302
    keys = ApiKey.objects.count()
    for client, method, path in sessions:
        with case(f"{method} {path}"):
            response = client.generic(method, path)
            assert response.status_code == 302
            assert response["Location"].startswith("/sign-in")
    assert ApiKey.objects.count() == keys
    assert sign_in(Client(), personas.bob.user.email).status_code == 200
    assert sign_in(Client(), personas.bob.user.email, NEW_PASSWORD).status_code == 302


def test_a_change_asks_which_keys_and_apps_to_revoke(personas: Personas, access: Access) -> None:
    client = signed_in(personas.bob)
    assert change(client)["Location"] == QUESTION
    page = text_of(client, QUESTION)
    for text in ("laptop", "phone", "dashboard", "An agent"):
        assert text in page
    assert all(access.works().values())
    chosen = [access.id_of(name) for name in ("laptop", "dashboard", "app")]
    client.post(QUESTION, {"revoke": chosen})
    assert access.works() == {"laptop": False, "phone": True, "dashboard": False, "app": False}
    verbs = AuditEntry.objects.filter(actor_id=personas.bob.user.id).values_list("verb", flat=True)
    assert list(verbs).count("api_key.revoked") == 2
    assert list(verbs).count("app.disconnected") == 1


def test_the_question_stays_on_every_page_until_it_is_answered(
    personas: Personas, access: Access
) -> None:
    client = signed_in(personas.bob)
    change(client)
    assert QUESTION in text_of(client, "/repositories")
    client.post(QUESTION, {"keep": "all", "revoke": [access.id_of("laptop")]})
    assert QUESTION not in text_of(client, "/repositories")
    assert all(access.works().values())


def test_a_reset_asks_after_signing_in(personas: Personas, access: Access) -> None:
    assert access
    done = reset(personas.bob).content.decode()
    link = re.search(r'href="(/sign-in\?next=[^"]+)"', done)
    assert link
    assert link[1].endswith(QUESTION)
    client = Client()
    # Also for a person who signs in without the link.
    sign_in(client, personas.bob.user.email, NEW_PASSWORD)
    assert QUESTION in text_of(client, "/repositories")


def test_without_keys_and_apps_there_is_no_question(personas: Personas) -> None:
    client = signed_in(personas.carol)
    assert change(client)["Location"] == "/account"
    assert "notice--warning" not in text_of(client, "/repositories")


def test_no_one_revokes_what_is_not_theirs(case: Case, personas: Personas, access: Access) -> None:
    chosen = [access.id_of(name) for name in ("laptop", "dashboard", "app")]
    for name in ("alice", "carol", "mallory"):
        with case(name):
            client = signed_in(getattr(personas, name))
            assert "laptop" not in text_of(client, QUESTION)
            client.post(QUESTION, {"revoke": chosen})
            assert all(access.works().values())


def test_keys_of_the_organization_are_asked_for_while_the_role_allows_to_revoke_them(
    personas: Personas, access: Access
) -> None:
    Membership.objects.filter(user=personas.bob.user).update(role="viewer")
    client = signed_in(personas.bob)
    page = text_of(client, QUESTION)
    assert "laptop" in page
    assert "dashboard" not in page
    client.post(QUESTION, {"revoke": [access.id_of("dashboard")]})
    assert access.works()["dashboard"]


@pytest.mark.parametrize("how", ["changed", "reset"])
def test_a_mail_tells_the_person_where_mail_is_set_up(
    personas: Personas,
    settings: Settings,
    mailoutbox: list[EmailMessage],
    how: str,
) -> None:
    settings.EMAIL_CONFIGURED = True
    if how == "changed":
        change(signed_in(personas.bob))
    else:
        reset(personas.bob)
    job = ProcrastinateJob.objects.get()
    assert job.task_name == "mail_password_change"
    mail_password_change(**job.args)
    (mail,) = mailoutbox
    assert mail.to == [personas.bob.user.email]
    assert QUESTION in mail.body
    assert "/password/forgotten" in mail.body
    assert " UTC" in mail.body


def test_without_mail_no_job_waits(personas: Personas) -> None:
    change(signed_in(personas.bob))
    assert not ProcrastinateJob.objects.exists()
    assert User.objects.get(pk=personas.bob.user.pk).check_password(NEW_PASSWORD)
