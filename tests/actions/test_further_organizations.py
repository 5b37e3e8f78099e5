"""Organizations after the first: created by the operator, or by people if permitted."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection
from django.test import Client
from pytest_django.fixtures import Settings

from tests.support.case import Case
from tests.support.database import current_personas
from tests.support.pages import path_of, text_of
from tests.support.personas import PASSWORD, Personas
from visual_review.accounts.further_organizations import create_own_organization
from visual_review.accounts.links import password_token
from visual_review.accounts.models import Invitation, Membership, Organization, User
from visual_review.audit.models import AuditEntry
from visual_review.config.commands.organizations import create, list_organizations
from visual_review.config.environment import StartupError
from visual_review.kernel.errors import ForbiddenError, InvalidInputError

DANA = "dana@example.com"


def verbs_in(organization: Organization) -> list[tuple[str, str, str]]:
    entries = AuditEntry.objects.filter(organization_id=organization.id).order_by("id")
    return [(entry.verb, entry.actor_kind, entry.channel) for entry in entries]


def test_the_operator_creates_one_for_a_person_with_an_account(personas: Personas) -> None:
    before = AuditEntry.objects.filter(organization_id=personas.bob.organization.id).count()
    created = create(" Globex ", " BOB@example.com")
    assert (created.organization.name, created.link) == ("Globex", "")
    place = created.organization.memberships.get()
    assert (place.user, place.role, place.created_account) == (personas.bob.user, "owner", False)
    assert verbs_in(created.organization) == [
        ("organization.created", "system", "cli"),
        ("member.joined", "system", "cli"),
    ]
    entry = AuditEntry.objects.filter(organization_id=created.organization.id).first()
    assert entry is not None
    assert (entry.actor_name, entry.client) == ("Command line", "visual-review organizations")
    # No other organization learns of the new one.
    assert AuditEntry.objects.filter(organization_id=personas.bob.organization.id).count() == before
    with pytest.raises(StartupError, match=f"already owns .*'Globex' \\({created.organization.id}"):
        create("Globex", "bob@example.com")


def test_a_person_without_an_account_joins_with_a_link(personas: Personas) -> None:
    assert personas
    created = create("Globex", DANA)
    assert list_organizations()[-1].owners == f"{DANA} (invited)"
    browser = Client()
    browser.post(path_of(created.link), {"name": "Dana", "password": PASSWORD})
    place = Membership.objects.get(user__email=DANA)
    assert (place.organization, place.role) == (created.organization, "owner")
    assert "Globex" in text_of(browser, "/account")
    assert Client().get(path_of(created.link)).status_code == 404
    assert verbs_in(created.organization)[:2] == [
        ("organization.created", "system", "cli"),
        ("member.invited", "system", "cli"),
    ]


def test_a_repeated_request_replaces_the_link_and_creates_nothing(personas: Personas) -> None:
    assert personas
    first, second = create("Globex", DANA), create("Globex", DANA.upper())
    assert first.organization == second.organization
    assert Organization.objects.filter(name="Globex").count() == 1
    assert Client().get(path_of(first.link)).status_code == 404
    assert Client().get(path_of(second.link)).status_code == 200
    # Another person's of the same name is another organization.
    assert create("Globex", "eve@example.com").organization != first.organization


def test_with_mail_the_person_confirms_the_address_before_joining(
    personas: Personas, settings: Settings, mailoutbox: list[object]
) -> None:
    assert personas
    settings.EMAIL_CONFIGURED = True
    link = create("Globex", DANA).link
    assert not mailoutbox
    client = Client()
    client.post(path_of(link), {"name": "Dana", "password": PASSWORD})
    assert not User.objects.filter(email=DANA).exists()
    assert DANA in mailoutbox[0].to  # type: ignore[attr-defined]


def test_invalid_requests_create_nothing(case: Case, personas: Personas) -> None:
    User.objects.filter(pk=personas.carol.user.pk).update(is_active=False)
    before = Organization.objects.count()
    for name, owner, message in (
        (" ", DANA, "1 to 150 printable characters"),
        ("a\nb", DANA, "1 to 150 printable characters"),
        ("x" * 151, DANA, "1 to 150 printable characters"),
        ("Globex", "dana", "not an e-mail address"),
        ("Globex", "carol@example.com", "not active"),
    ):
        with case((name, owner)), pytest.raises(StartupError, match=message):
            create(name, owner)
    assert Organization.objects.count() == before
    assert not Invitation.objects.exists()


@pytest.mark.django_db
@pytest.mark.usefixtures("without_personas")
def test_the_first_organization_is_created_by_setup() -> None:
    with pytest.raises(StartupError, match="Open the setup link"):
        create("Globex", DANA)
    assert list_organizations() == []


def test_all_organizations_are_listed_with_their_owners(personas: Personas) -> None:
    rows = {row.name: (row.owners, row.members) for row in list_organizations()}
    assert rows == {
        "Acme": (personas.alice.user.email, "3"),
        "Evil Corp": (personas.mallory.user.email, "1"),
    }


def test_people_create_one_only_if_the_operator_allows_it(
    personas: Personas, settings: Settings
) -> None:
    with pytest.raises(ForbiddenError, match="Only the operator"):
        create_own_organization(personas.carol.user, "Globex")
    settings.ORGANIZATION_CREATION = True
    created, is_new = create_own_organization(personas.carol.user, "Globex")
    assert is_new
    assert verbs_in(created) == [
        ("organization.created", "user", "web"),
        ("member.joined", "user", "web"),
    ]
    with pytest.raises(InvalidInputError):
        create_own_organization(personas.carol.user, "\t")


def test_an_owners_password_link_does_not_open_the_new_organization(personas: Personas) -> None:
    # Alice may have created the account, and does not belong to the new organization.
    token = password_token(personas.bob.user)
    create("Globex", personas.bob.user.email)
    url = f"/password/reset/key/{personas.bob.user.id}-{token}"
    assert "no longer" in text_of(Client(), url) or "not valid" in text_of(Client(), url)


@pytest.mark.django_db(transaction=True)
def test_simultaneous_requests_create_one(settings: Settings) -> None:
    settings.ORGANIZATION_CREATION = True
    bob = current_personas().bob.user
    barrier = Barrier(4)

    def request(_: int) -> tuple[str, bool]:
        barrier.wait()
        try:
            created, is_new = create_own_organization(bob, "Globex")
        finally:
            connection.close()
        return created.id, is_new

    with ThreadPoolExecutor(4) as threads:
        results = list(threads.map(request, range(4)))
    assert len({found for found, _ in results}) == 1
    assert sum(is_new for _, is_new in results) == 1
