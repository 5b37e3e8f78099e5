"""Invitations: one-time links to join an organization."""

from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from visual_review.accounts.callers import Caller
from visual_review.accounts.models import Invitation, Membership, User
from visual_review.accounts.secrets import INVITATION, Secret, digest, new_secret
from visual_review.accounts.users import create_user, invalidate_password_links, normalize_email
from visual_review.audit.log import Actor, Change, Target, record
from visual_review.kernel.clock import now, rfc3339
from visual_review.kernel.errors import ConflictError, NotFoundError

REVOKED: Final = "invitation.revoked"
INVITATION_LIFETIME = timedelta(days=7)
INVITATION_UNKNOWN = "There is no open invitation with this id."
LINK_UNKNOWN = (
    "This invitation is not valid: it was used, revoked or replaced, is older than seven days, or "
    "its URL is incomplete. Ask an owner for a new one."
)


def is_open(invitation: Invitation, moment: datetime) -> bool:
    return (
        invitation.accepted_at is None
        and invitation.revoked_at is None
        and invitation.expires_at > moment
    )


def open_invitations(organization_id: str) -> QuerySet[Invitation]:
    """List the invitations still open, newest first."""
    return Invitation.objects.filter(
        organization_id=organization_id,
        accepted_at=None,
        revoked_at=None,
        expires_at__gt=now(),
    ).order_by("-created_at", "-id")


def invite(caller: Caller, email: str, role: str) -> tuple[Invitation, Secret]:
    """Invite a person by e-mail, and revoke an earlier open invitation of the same person.

    If mail is configured, the caller must mail the link and show it to no one. Raises
    InvalidInputError, and ConflictError if the person is already a member.
    """
    return _invite(caller, email, role, is_mailed=settings.EMAIL_CONFIGURED)


def invite_by_shown_link(caller: Caller, email: str, role: str) -> Secret:
    """Invite like ``invite``, with a link for the operator to pass on; record the invitation."""
    invitation, secret = _invite(caller, email, role, is_mailed=False)
    after = {"role": role, "expiresAt": rfc3339(invitation.expires_at)}
    target = Target("invitation", invitation.id, invitation.email)
    record(caller.organization_id, caller.actor(), Change("member.invited", target, after=after))
    return secret


def _invite(caller: Caller, email: str, role: str, *, is_mailed: bool) -> tuple[Invitation, Secret]:
    address = normalize_email(email)
    if Membership.objects.filter(
        organization_id=caller.organization_id, user__email=address
    ).exists():
        raise ConflictError(f"{address} is already a member. Change the role in the list instead.")
    moment = now()
    open_invitations(caller.organization_id).filter(email=address).update(revoked_at=moment)
    secret = new_secret(INVITATION)
    invitation = Invitation.objects.create(
        organization_id=caller.organization_id,
        email=address,
        role=role,
        secret_hash=secret.digest,
        # Invitations from the command line have no user.
        invited_by_id=caller.id if caller.kind == "user" else None,
        is_mailed=is_mailed,
        created_at=moment,
        expires_at=moment + INVITATION_LIFETIME,
    )
    return invitation, secret


def revoke_invitation(caller: Caller, invitation_id: str) -> Invitation:
    """Revoke an open invitation; raises NotFoundError."""
    rows = open_invitations(caller.organization_id).select_for_update()
    invitation = rows.filter(pk=invitation_id).first()
    if invitation is None:
        raise NotFoundError(INVITATION_UNKNOWN)
    invitation.revoked_at = now()
    invitation.save(update_fields=["revoked_at"])
    return invitation


def revoke_invitations_by(organization_id: str, user_id: str) -> tuple[Change, ...]:
    """Revoke a person's open invitations: their links could bring the person back."""
    rows = list(open_invitations(organization_id).filter(invited_by_id=user_id))
    Invitation.objects.filter(pk__in=[row.pk for row in rows]).update(revoked_at=now())
    return tuple(revocation_of(row) for row in rows)


def revocation_of(invitation: Invitation) -> Change:
    """Return the audit entry for a revoked invitation."""
    target = Target("invitation", invitation.id, invitation.email)
    return Change(REVOKED, target, before={"role": invitation.role})


def invitation_of_link(secret: str, *, lock: bool = False) -> Invitation:
    """Return the open invitation of a link; otherwise raises NotFoundError, always the same."""
    rows = Invitation.objects.filter(is_setup=False, secret_hash=digest(secret))
    # With the lock, only one of two simultaneous uses of the link succeeds.
    rows = rows.select_for_update(of=("self",)) if lock else rows.select_related("organization")
    invitation = rows.first()
    if invitation is None or not is_open(invitation, now()):
        raise NotFoundError(LINK_UNKNOWN)
    return invitation


@transaction.atomic
def accept_as_new(secret: str, password: str, name: str) -> User:
    """Create the account of the invited person and join.

    Raises NotFoundError for the link, InvalidInputError for the password, ConflictError when
    the account exists already: then the person has to sign in first.
    """
    invitation = invitation_of_link(secret, lock=True)
    check_address_proven(invitation)
    user = create_user(invitation.email, password, name)
    _join(invitation, user, created_account=True)
    return user


@transaction.atomic
def accept_as_user(secret: str, user: User) -> Membership:
    """Join with the signed-in account; its e-mail address must be the invited one."""
    invitation = invitation_of_link(secret, lock=True)
    check_address_proven(invitation)
    # Only the person who was invited may use the link.
    if user.email != invitation.email:
        raise ConflictError(
            f"The invitation is for {invitation.email}, and you are signed in as {user.email}. "
            "Sign out and open the link again, or ask for an invitation to your own e-mail address."
        )
    return _join(invitation, user, created_account=False)


def is_address_proven(invitation: Invitation) -> bool:
    """Whether only the person with the invited e-mail address can have the link.

    True without mail: then the owner passes the link on, and nothing can prove its receiver.
    """
    return invitation.is_mailed or not settings.EMAIL_CONFIGURED


def check_address_proven(invitation: Invitation) -> None:
    """Raise ConflictError if someone else may have received the link."""
    if not is_address_proven(invitation):
        raise ConflictError(
            f"Confirm first that {invitation.email} is your e-mail address: open the link of the "
            "invitation and have a confirmation sent."
        )


def replace_link(invitation: Invitation, secret: Secret) -> None:
    """Make ``secret``, mailed to the invited person, the only link.

    Raises NotFoundError if the invitation ended meanwhile.
    """
    rows = open_invitations(str(invitation.organization_id)).filter(
        pk=invitation.pk, secret_hash=invitation.secret_hash
    )
    if not rows.update(secret_hash=secret.digest, is_mailed=True):
        raise NotFoundError(LINK_UNKNOWN)


def _join(invitation: Invitation, user: User, *, created_account: bool) -> Membership:
    organization_id = str(invitation.organization_id)
    if user.memberships.filter(organization_id=organization_id).exists():
        raise ConflictError("You are already a member of this organization.")
    invitation.accepted_at = now()
    invitation.save(update_fields=["accepted_at"])
    invalidate_password_links(user)
    membership = Membership.objects.create(
        organization_id=organization_id,
        user=user,
        role=invitation.role,
        created_account=created_account,
    )
    joined = Change(
        "member.joined", Target("user", user.id, user.email), after={"role": invitation.role}
    )
    record(organization_id, Actor("user", user.id, str(user), "web"), joined)
    return membership
