"""An owner's power over the e-mail address of someone else."""

import re
from typing import Any

import pytest
from django.core.mail import EmailMessage
from django.test import Client
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django.fixtures import Settings

from tests.support.case import Case
from tests.support.pages import path_of, shown_secret, sign_in, signed_in, text_of
from tests.support.personas import PASSWORD, Persona, Personas
from visual_review.accounts.invitations import accept_as_new, accept_as_user
from visual_review.accounts.models import Invitation, Membership, User
from visual_review.audit.models import AuditEntry
from visual_review.config.commands.password_link import create as create_operator_link
from visual_review.config.environment import StartupError
from visual_review.jobs.accounts.mail_password_link import mail_password_link
from visual_review.kernel.errors import ConflictError

VICTIM = "victor@example.com"
HERS = "mallorys own pass phrase"
HIS = "victors own pass phrase"
LINK = re.compile(r"http\S+")


@pytest.fixture
def with_mail(settings: Settings) -> None:
    settings.EMAIL_CONFIGURED = True


def invite(owner: Persona, email: str = VICTIM) -> str:
    """Invite on the page; returns the page for the owner."""
    page = signed_in(owner).post("/members", {"email": email, "role": "viewer"})
    return str(page.content.decode())


def mailed_link(mail: EmailMessage) -> str:
    found = LINK.search(str(mail.body))
    assert found
    return path_of(found[0])


def join(link: str, password: str) -> Any:  # noqa: ANN401 - A test response.
    return Client().post(link, {"name": "V", "password": password})


def choose_password(link: str, password: str) -> None:
    client = Client()
    form = client.get(link, follow=True)
    client.post(form.request["PATH_INFO"], {"password1": password, "password2": password})


def may_sign_in(email: str, password: str) -> bool:
    return bool(sign_in(Client(), email, password).status_code == 302)


def organizations_of(email: str) -> list[str]:
    rows = Membership.objects.filter(user__email=email).order_by("organization__name")
    return list(rows.values_list("organization__name", flat=True))


@pytest.mark.usefixtures("with_mail")
def test_an_owner_never_sees_the_link_of_a_mailed_invitation(
    personas: Personas, mailoutbox: list[EmailMessage]
) -> None:
    page = invite(personas.mallory)
    link = mailed_link(mailoutbox[0])
    assert mailoutbox[0].to == [VICTIM]
    assert link.rsplit("/", 1)[1] not in page
    assert "vr_invite_" not in page
    assert "vr_invite_" not in text_of(signed_in(personas.mallory), "/members")
    assert join(link, HIS).status_code == 302
    assert may_sign_in(VICTIM, HIS)


@pytest.mark.usefixtures("with_mail")
def test_an_owner_does_not_see_the_link_either_when_the_mail_server_fails(
    personas: Personas, settings: Settings
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    page = invite(personas.mallory)
    assert "did not accept" in page
    assert "vr_invite_" not in page


def test_an_invitation_that_was_not_mailed_proves_nothing_once_mail_is_set_up(
    personas: Personas, settings: Settings, mailoutbox: list[EmailMessage]
) -> None:
    old = path_of(shown_secret(invite(personas.mallory).encode()))
    settings.EMAIL_CONFIGURED = True
    assert "Confirm that you receive its mail" in text_of(Client(), old)
    # The button sends an e-mail; whatever else is in the form, no account is created.
    assert "Check your e-mail" in join(old, HERS).content.decode()
    assert not User.objects.filter(email=VICTIM).exists()
    assert Client().get(old).status_code == 404
    (mail,) = mailoutbox
    assert mail.to == [VICTIM]
    join(mailed_link(mail), HIS)
    assert may_sign_in(VICTIM, HIS)


@pytest.mark.usefixtures("with_mail")
def test_the_old_link_stays_while_the_mail_server_fails(
    personas: Personas, settings: Settings
) -> None:
    settings.EMAIL_CONFIGURED = False
    old = path_of(shown_secret(invite(personas.mallory).encode()))
    settings.EMAIL_CONFIGURED = True
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    assert "did not accept" in Client().post(old).content.decode()
    assert "Confirm" in text_of(Client(), old)


def test_no_account_joins_with_an_unproven_link(personas: Personas, settings: Settings) -> None:
    secret = path_of(shown_secret(invite(personas.alice).encode())).rsplit("/", 1)[1]
    theirs = path_of(
        shown_secret(invite(personas.alice, personas.mallory.user.email).encode())
    ).rsplit("/", 1)[1]
    settings.EMAIL_CONFIGURED = True
    with pytest.raises(ConflictError, match="Confirm first"):
        accept_as_new(secret, HERS, "V")
    with pytest.raises(ConflictError, match="Confirm first"):
        accept_as_user(theirs, personas.mallory.user)
    assert not Invitation.objects.exclude(accepted_at=None).exists()


def take_address(personas: Personas) -> Client:
    """Without mail, Mallory uses the link of her own invitation; returns her session."""
    client = Client()
    link = path_of(shown_secret(invite(personas.mallory).encode()))
    client.post(link, {"name": "Victor", "password": HERS})
    assert client.get("/account").status_code == 200
    return client


def test_a_taken_address_goes_to_the_person_who_receives_its_mail(
    personas: Personas, settings: Settings, mailoutbox: list[EmailMessage]
) -> None:
    hers = take_address(personas)
    settings.EMAIL_CONFIGURED = True
    invite(personas.alice)
    invitation = mailed_link(mailoutbox.pop())
    page = text_of(Client(), invitation)
    assert "/password/forgotten" in page
    # Signed in with the address, Mallory still lacks the link.
    assert organizations_of(VICTIM) == ["Evil Corp"]
    Client().post("/password/forgotten", {"email": VICTIM})
    mail_password_link(**ProcrastinateJob.objects.get(task_name="mail_password_link").args)
    choose_password(mailed_link(mailoutbox.pop()), HIS)
    assert hers.get("/account").status_code == 302
    victor = Client()
    sign_in(victor, VICTIM, HIS)
    victor.post(invitation)
    assert organizations_of(VICTIM) == ["Acme", "Evil Corp"]
    assert not may_sign_in(VICTIM, HERS)


def test_without_mail_the_operator_gives_a_taken_address_back(personas: Personas) -> None:
    hers = take_address(personas)
    invitation = path_of(shown_secret(invite(personas.alice).encode()))
    assert "operator of this service" in text_of(Client(), invitation)
    refused = join(invitation, HIS)
    assert refused.status_code == 400
    choose_password(path_of(create_operator_link(f" {VICTIM.upper()} ")), HIS)
    entry = AuditEntry.objects.get(verb="password.link_created")
    assert (entry.actor_id, entry.client) == ("operator", "visual-review password-link")
    assert hers.get("/account").status_code == 302
    assert not may_sign_in(VICTIM, HERS)
    victor = Client()
    sign_in(victor, VICTIM, HIS)
    victor.post(invitation)
    assert organizations_of(VICTIM) == ["Acme", "Evil Corp"]


def test_the_operator_helps_people_who_belong_to_no_organization(personas: Personas) -> None:
    Membership.objects.filter(user=personas.bob.user).delete()
    choose_password(path_of(create_operator_link(personas.bob.user.email)), HIS)
    assert may_sign_in(personas.bob.user.email, HIS)


@pytest.mark.parametrize("email", ["nobody@example.com", ""])
def test_the_operator_reads_that_an_account_does_not_exist(personas: Personas, email: str) -> None:
    assert personas
    with pytest.raises(StartupError, match="There is no account"):
        create_operator_link(email)


# The deeds of Mallory, owner of another organization, to Bob of Acme, perhaps a member of hers.
JOINED = (False, True)
DEEDS = ("invite", "remove", "change_role", "make_password_link")


@pytest.mark.parametrize("sends_mail", [False, True])
def test_another_organizations_owner_locks_no_one_out(
    case: Case,
    personas: Personas,
    settings: Settings,
    sends_mail: bool,  # noqa: FBT001
) -> None:
    settings.EMAIL_CONFIGURED = sends_mail
    bob, mallory = personas.bob, signed_in(personas.mallory)
    links = []
    for joined in JOINED:
        for deed in DEEDS:
            with case(f"{deed}, {'joined' if joined else 'not joined'}"):
                place = Membership.objects.get(user=bob.user)
                if joined:
                    place = Membership.objects.create(
                        organization=personas.mallory.organization, user=bob.user, role="viewer"
                    )
                shown = do(mallory, deed, place.id)
                for link in re.findall(r"https?://\S+?(?=[<\"])", shown):
                    join(path_of(link), HERS)
                    links.append(link)
                assert not may_sign_in(bob.user.email, HERS)
                assert may_sign_in(bob.user.email, PASSWORD)
                assert Membership.objects.get(user=bob.user, organization=bob.organization)
    assert bool(links) is not sends_mail


def do(mallory: Client, deed: str, membership_id: str) -> str:
    """Return the page for Mallory."""
    path, fields = {
        "invite": ("/members", {"email": "bob@example.com", "role": "viewer"}),
        "remove": (f"/members/{membership_id}/remove", {}),
        "change_role": (f"/members/{membership_id}/role", {"role": "admin"}),
        "make_password_link": (f"/members/{membership_id}/password-link", {}),
    }[deed]
    return str(mallory.post(path, fields).content.decode())


def test_an_account_that_came_from_elsewhere_gets_no_link_from_an_owner(personas: Personas) -> None:
    """Bob joined Evil Corp, then left Acme: Evil Corp's owner must not get his account."""
    place = Membership.objects.create(
        organization=personas.mallory.organization, user=personas.bob.user, role="viewer"
    )
    Membership.objects.filter(
        user=personas.bob.user, organization=personas.bob.organization
    ).delete()
    response = signed_in(personas.mallory).post(f"/members/{place.id}/password-link", follow=True)
    page = response.content.decode()
    assert "visual-review password-link" in page
    assert "vr_" not in page
    assert 'id="secret"' not in page


@pytest.mark.usefixtures("with_mail")
def test_where_mail_is_set_up_the_person_alone_receives_a_password_link(
    personas: Personas, mailoutbox: list[EmailMessage]
) -> None:
    membership = Membership.objects.get(user=personas.bob.user)
    response = signed_in(personas.alice).post(
        f"/members/{membership.id}/password-link", follow=True
    )
    page = response.content.decode()
    assert "is mailed to Bob" in page
    assert 'id="secret"' not in page
    job = ProcrastinateJob.objects.get()
    assert job.args == {"user_id": personas.bob.user.id}
    mail_password_link(**job.args)
    (mail,) = mailoutbox
    assert mail.to == [personas.bob.user.email]
    choose_password(mailed_link(mail), HIS)
    assert may_sign_in(personas.bob.user.email, HIS)
    assert AuditEntry.objects.get(verb="password.link_created").after == {"mailed": True}
