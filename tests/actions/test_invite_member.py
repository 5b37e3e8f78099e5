"""invite_member, and joining with a new or an existing account."""

from datetime import timedelta

import pytest
from allauth.account.forms import default_token_generator

from tests.support.personas import PASSWORD, Personas
from visual_review.accounts.invitations import (
    accept_as_new,
    accept_as_user,
    invitation_of_link,
)
from visual_review.accounts.links import password_token
from visual_review.accounts.models import Invitation, Membership, User
from visual_review.actions.dispatch import dispatch
from visual_review.actions.internal.members import InviteMemberResult
from visual_review.actions.registry import any_action
from visual_review.audit.models import AuditEntry
from visual_review.kernel.clock import now
from visual_review.kernel.errors import (
    ConflictError,
    ForbiddenError,
    InvalidInputError,
    NotFoundError,
)

INVITE = any_action("invite_member")
REVOKE = any_action("revoke_invitation")
ADDRESS = "dana@example.com"


def invite(personas: Personas, email: str = ADDRESS, role: str = "reviewer") -> InviteMemberResult:
    return dispatch(INVITE, personas.alice.caller, {"email": email, "role": role})


def test_an_invited_person_joins_with_the_role_of_the_invitation(personas: Personas) -> None:
    secret = invite(personas, " Dana@EXAMPLE.com").secret
    user = accept_as_new(secret, PASSWORD, "Dana")
    membership = Membership.objects.get(user=user)
    assert (user.email, membership.role) == (ADDRESS, "reviewer")
    assert membership.organization == personas.alice.organization
    verbs = AuditEntry.objects.order_by("id").values_list("verb", flat=True)
    assert list(verbs) == ["member.invited", "member.joined"]


def test_an_invitation_works_once(personas: Personas) -> None:
    secret = invite(personas).secret
    accept_as_new(secret, PASSWORD, "Dana")
    with pytest.raises(NotFoundError):
        accept_as_new(secret, PASSWORD, "Dana")


def test_the_secret_is_stored_nowhere(personas: Personas) -> None:
    secret = invite(personas).secret
    rows = [*Invitation.objects.values(), *AuditEntry.objects.values()]
    assert secret not in str(rows)


def test_expired_and_unknown_links_get_the_same_error(personas: Personas) -> None:
    replaced = invite(personas).secret
    revoked = invite(personas)
    dispatch(REVOKE, personas.alice.caller, {"invitationId": revoked.id})
    expired = invite(personas, "late@example.com").secret
    Invitation.objects.filter(email="late@example.com").update(
        expires_at=now() - timedelta(seconds=1)
    )
    words = set()
    for secret in (replaced, revoked.secret, expired, "vr_invite_nothing", "", "\u0000"):
        with pytest.raises(NotFoundError) as error:
            invitation_of_link(secret)
        words.add(str(error.value))
    assert len(words) == 1


def test_a_person_with_an_account_joins_by_signing_in(personas: Personas) -> None:
    mallory = personas.mallory.user
    secret = invite(personas, mallory.email).secret
    with pytest.raises(ConflictError):
        accept_as_new(secret, PASSWORD, "Somebody else")
    membership = accept_as_user(secret, mallory)
    assert membership.organization == personas.alice.organization
    assert mallory.memberships.count() == 2


def test_joining_revokes_the_password_links_of_owners_elsewhere(personas: Personas) -> None:
    theirs = personas.mallory.user
    User.objects.filter(pk=theirs.pk).update(last_login=now() - timedelta(days=1))
    theirs.refresh_from_db()
    token = password_token(theirs)
    assert default_token_generator.check_token(theirs, token)
    accept_as_user(invite(personas, theirs.email).secret, theirs)
    theirs.refresh_from_db()
    assert not default_token_generator.check_token(theirs, token)


def test_no_one_else_can_use_the_invitation_of_an_email_address(personas: Personas) -> None:
    secret = invite(personas).secret
    with pytest.raises(ConflictError):
        accept_as_user(secret, personas.mallory.user)
    assert invitation_of_link(secret).email == ADDRESS


def test_a_weak_password_leaves_the_invitation_pending(personas: Personas) -> None:
    secret = invite(personas).secret
    with pytest.raises(InvalidInputError):
        accept_as_new(secret, "short", "Dana")
    assert not User.objects.filter(email=ADDRESS).exists()
    assert invitation_of_link(secret)


def test_members_are_not_invited_again(personas: Personas) -> None:
    with pytest.raises(ConflictError):
        invite(personas, personas.bob.user.email)


@pytest.mark.parametrize("persona", ["bob", "carol"])
def test_only_owners_invite(personas: Personas, persona: str) -> None:
    with pytest.raises(ForbiddenError):
        dispatch(INVITE, getattr(personas, persona).caller, {"email": ADDRESS, "role": "viewer"})


@pytest.mark.parametrize(
    ("email", "role"), [("no address", "viewer"), (ADDRESS, "king"), ("a\0@example.com", "viewer")]
)
def test_invalid_emails_and_roles_are_rejected(personas: Personas, email: str, role: str) -> None:
    with pytest.raises(InvalidInputError):
        invite(personas, email, role)


def test_another_organizations_invitation_is_unknown(personas: Personas) -> None:
    invitation = invite(personas)
    with pytest.raises(NotFoundError):
        dispatch(REVOKE, personas.mallory.caller, {"invitationId": invitation.id})
