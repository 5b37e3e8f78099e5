"""Creates organizations after the first: by the operator, or by people if allowed."""

from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from visual_review.accounts.callers import caller_of_operator
from visual_review.accounts.invitations import invite_by_shown_link, open_invitations
from visual_review.accounts.links import invitation_link
from visual_review.accounts.models import Organization, User
from visual_review.accounts.organizations import add_owner, clean_name, create_organization
from visual_review.accounts.setup import first_owner_needed, lock_setup
from visual_review.accounts.users import invalidate_password_links, normalize_email
from visual_review.audit.log import Actor
from visual_review.kernel.errors import ConflictError, ForbiddenError

NOT_ALLOWED = (
    "Only the operator of this service can create an organization, with "
    "'visual-review organizations create'."
)
SETUP_FIRST = (
    "This service has no organization yet. Open the setup link that it prints when it starts, or "
    "start it with --owner-email: that creates the first one."
)


@dataclass(frozen=True)
class OperatorsOrganization:
    """``link`` is empty for an owner with an account; another owner joins with the link."""

    organization: Organization
    owner: str
    link: str


def creation_allowed() -> bool:
    """Whether people may create organizations on a page."""
    return bool(settings.ORGANIZATION_CREATION)


def check_creation_allowed() -> None:
    """Raise ForbiddenError unless people may create organizations."""
    if not creation_allowed():
        raise ForbiddenError(NOT_ALLOWED)


@transaction.atomic
def create_own_organization(person: User, organization_name: str) -> tuple[Organization, bool]:
    """Create an organization owned by a signed-in person; return it and whether it is new.

    A repeated request finds the first organization. Raises ForbiddenError and InvalidInputError.
    """
    check_creation_allowed()
    shown = clean_name(organization_name)
    owner = _lock_user(person)
    existing = _owned_by(owner).filter(name=shown).first()
    if existing is not None:
        return existing, False
    return _create_for(owner, shown, Actor("user", owner.id, str(owner), "web")), True


@transaction.atomic
def create_operators_organization(name: str, email: str, client: str) -> OperatorsOrganization:
    """Create an organization for a person, with a one-time link for a person without an account.

    Until the link is used, the same request replaces the link. Raises InvalidInputError, and
    ConflictError for an inactive account, or if the person owns an organization of the same name.
    """
    lock_setup()
    if first_owner_needed():
        raise ConflictError(SETUP_FIRST)
    shown, normal = clean_name(name), normalize_email(email)
    actor = caller_of_operator("").through("cli", client).actor()
    account = User.objects.filter(email=normal).first()
    if account is None:
        organization = _waiting_for(normal, shown) or create_organization(shown, actor)
        caller = caller_of_operator(organization.id).through("cli", client)
        secret = invite_by_shown_link(caller, normal, "owner")
        return OperatorsOrganization(organization, normal, invitation_link(secret.text))
    owner = _lock_user(account)
    if not owner.is_active:
        raise ConflictError(f"The account {normal} is not active, so it cannot own anything.")
    existing = _owned_by(owner).filter(name=shown).first()
    if existing is not None:
        raise ConflictError(f"{normal} already owns an organization '{shown}' ({existing.id}).")
    return OperatorsOrganization(_create_for(owner, shown, actor), normal, "")


def _create_for(owner: User, name: str, actor: Actor) -> Organization:
    organization = create_organization(name, actor)
    # An owner of another organization may have such a link, and would own the new one too.
    invalidate_password_links(owner)
    add_owner(organization, owner, actor, created_account=False)
    return organization


def _lock_user(user: User) -> User:
    # Of two simultaneous requests, the second must find the organization of the first.
    return User.objects.select_for_update().get(pk=user.pk)


def _owned_by(owner: User) -> QuerySet[Organization]:
    return Organization.objects.filter(memberships__user=owner, memberships__role="owner")


def _waiting_for(email: str, name: str) -> Organization | None:
    """Return the organization with the name, no member, and an invitation of the person."""
    waiting = Organization.objects.filter(name=name, memberships=None, invitation__email=email)
    return waiting.order_by("created_at", "id").first()


def invited_owners(organization_id: str) -> list[str]:
    """List the e-mail addresses of people who were invited as owners and have not joined."""
    invited = open_invitations(organization_id).filter(role="owner")
    return list(invited.values_list("email", flat=True))
