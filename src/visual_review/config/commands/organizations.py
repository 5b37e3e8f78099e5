"""Implements ``visual-review organizations``; needs Django."""

from dataclasses import asdict, astuple, dataclass

from django.db import transaction
from django.db.models import Prefetch

from visual_review.accounts.callers import caller_of_operator
from visual_review.accounts.further_organizations import (
    OperatorsOrganization,
    create_operators_organization,
    invited_owners,
)
from visual_review.accounts.models import Membership, Organization
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import any_action
from visual_review.audit.log import Change, Target, record
from visual_review.config.environment import StartupError
from visual_review.config.schema_version import check_migrations
from visual_review.kernel.clock import rfc3339
from visual_review.kernel.errors import VisualReviewError
from visual_review.repositories.quotas import set_limits

CLIENT = "visual-review organizations"


@dataclass(frozen=True)
class OrganizationRow:
    id: str
    name: str
    owners: str
    members: str
    created: str


def create(name: str, owner: str) -> OperatorsOrganization:
    """Create an organization; raises StartupError."""
    check_migrations()
    try:
        return create_operators_organization(name, owner, CLIENT)
    except VisualReviewError as error:
        raise StartupError(str(error)) from error


def allow_passwords(organization_id: str) -> str:
    """End the requirement of single sign-on; return the name. Raises StartupError."""
    organization = _find(organization_id)
    operator = caller_of_operator(organization_id).through("cli", CLIENT)
    policy = {
        "passwordOwnerId": "",
        "requiresSecondFactor": organization.requires_second_factor,
    }
    dispatch(any_action("set_sign_in_policy"), operator, policy)
    return organization.name


def set_quota(organization_id: str, changed: dict[str, int | None]) -> str:
    """Change limits of an organization, None for the service's; describe all. Raises StartupError."""
    organization = _find(organization_id)
    with transaction.atomic():
        before, after = set_limits(organization_id, changed)
        if changed:
            target = Target("organization", organization_id, organization.name)
            actor = caller_of_operator(organization_id).through("cli", CLIENT).actor()
            change = Change("organization.quota_changed", target, asdict(before), asdict(after))
            record(organization_id, actor, change)
    limits = zip(("GB stored", "builds a day", "megapixels a day"), astuple(after), strict=True)
    shown = ", ".join(f"{name}: {limit or 'no limit'}" for name, limit in limits)
    return f"{organization.name}: {shown}"


def _find(organization_id: str) -> Organization:
    check_migrations()
    organization = Organization.objects.filter(pk=organization_id).first()
    if organization is None:
        raise StartupError(
            f"There is no organization '{organization_id}'. 'visual-review organizations list' "
            "shows their IDs."
        )
    return organization


def list_organizations() -> list[OrganizationRow]:
    """List all organizations, by name."""
    check_migrations()
    members = Prefetch("memberships", Membership.objects.select_related("user").order_by("id"))
    rows = Organization.objects.order_by("name", "id").prefetch_related(members)
    return [_describe(organization) for organization in rows]


def _describe(organization: Organization) -> OrganizationRow:
    memberships = list(organization.memberships.all())
    owners = [each.user.email for each in memberships if each.role == "owner"]
    # Only an organization just created by the operator has no owners yet.
    owners = owners or [f"{email} (invited)" for email in invited_owners(organization.id)]
    return OrganizationRow(
        id=organization.id,
        name=organization.name,
        owners=", ".join(owners) or "none",
        members=str(len(memberships)),
        created=rfc3339(organization.created_at),
    )
