"""Deletes a person's account. What they decided stays, under the name ``DELETED``."""

from typing import Final

from django.db import transaction

from visual_review.accounts.members import loses_last_owner
from visual_review.accounts.models import Membership, Organization, User
from visual_review.audit.log import Actor, Change, Target, record
from visual_review.kernel.errors import ConflictError
from visual_review.kernel.queue import enqueue

DELETED: Final = "Deleted person"
FORGET_PERSON: Final = "forget_person"


@transaction.atomic
def delete_account(user: User) -> None:
    """Delete the account with its memberships, keys, apps, sessions and factors.

    A job then replaces the person's name wherever it was copied. Raises ConflictError for the only
    owner of an organization, and for the one who may use a password there.
    """
    organizations = Organization.objects.select_for_update().order_by("pk")
    mine = list(organizations.filter(memberships__user=user).values_list("pk", flat=True))
    for membership in user.memberships.select_related("organization"):
        _check_not_needed(membership)
    actor = Actor("user", user.id, DELETED, "web")
    for organization_id in mine:
        record(organization_id, actor, Change("user.deleted", Target("user", user.id)))
    enqueue(FORGET_PERSON, user_id=user.pk, email=user.email)
    user.delete()


def _check_not_needed(membership: Membership) -> None:
    organization = membership.organization
    owners = organization.memberships.filter(role="owner").count()
    if loses_last_owner(membership.role, None, owners):
        raise ConflictError(
            f"You are the only owner of {organization}. Make another member an owner first."
        )
    if organization.password_owner_id == membership.user_id:
        raise ConflictError(
            f"You are the one who may use a password in {organization}. Name another owner first."
        )
