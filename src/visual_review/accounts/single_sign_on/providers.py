"""The sign-in providers of an organization, and whether single sign-on is required."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import QuerySet

from visual_review.accounts.members import members_of
from visual_review.accounts.models import Organization, SignInProvider
from visual_review.accounts.permissions import ROLES
from visual_review.kernel.encryption import encrypt
from visual_review.kernel.errors import ConflictError, InvalidInputError, NotFoundError
from visual_review.kernel.ids import is_id

MOST_PROVIDERS: Final = 10
UNKNOWN: Final = "There is no sign-in provider with this id."
PROVIDER_PREFIX: Final = "idp"
_DOMAIN: Final = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]")
LAST_ONE: Final = (
    "Single sign-on is required and this is the only provider. Allow passwords again first."
)
NOT_TRIED: Final = (
    "No one has signed in through a provider of this organization yet. Sign in with one once, so "
    "that requiring it locks no one out."
)
NOT_AN_OWNER: Final = "The person who may use a password must be an owner who has a password."


@dataclass(frozen=True)
class ProviderSettings:
    """An owner's input; an empty ``client_secret`` keeps the stored one."""

    name: str
    issuer: str
    client_id: str
    client_secret: str
    domains: Sequence[str]
    groups_claim: str
    group_roles: Sequence[tuple[str, str]]
    default_role: str
    trusts_email: bool


def providers_of(organization_id: str) -> QuerySet[SignInProvider]:
    return SignInProvider.objects.filter(organization=organization_id).order_by("created_at")


def find_provider(organization_id: str, provider_id: str) -> SignInProvider | None:
    """Return a provider, or None if the id is free; raises NotFoundError for any other id."""
    row = SignInProvider.objects.filter(pk=provider_id).first()
    is_free = row is None and is_id(provider_id, PROVIDER_PREFIX)
    if not is_free and (row is None or row.organization_id != organization_id):
        raise NotFoundError(UNKNOWN)
    return row


def providers_for(email: str) -> QuerySet[SignInProvider]:
    """Return the providers of all organizations for the domain of an e-mail address."""
    domain = email.strip().lower().rpartition("@")[2]
    rows = SignInProvider.objects.filter(domains__contains=[domain])
    return rows.select_related("organization").order_by("organization__name", "created_at")


def clean_domains(domains: Iterable[str]) -> list[str]:
    """Return the domains in lower case, each once; raises InvalidInputError."""
    found = list(dict.fromkeys(each.strip().lower() for each in domains if each.strip()))
    wrong = [each for each in found if not _DOMAIN.fullmatch(each)]
    if wrong or not found:
        problem = (
            f"'{wrong[0]}' is not a domain. Enter domains like example.com."
            if wrong
            else "Enter at least one domain, or everyone at the provider could join."
        )
        raise InvalidInputError(problem, [("/domains", problem)])
    return found


def map_groups(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the role by group; raises InvalidInputError for a group with two roles."""
    found: dict[str, str] = {}
    problem = ""
    for group, role in pairs:
        if role not in ROLES:
            problem = f"'{role}' is not a role. There are {', '.join(ROLES)}."
        elif found.setdefault(group, role) != role:
            problem = f"The group '{group}' has two roles: {found[group]} and {role}. Remove one."
        if problem:
            raise InvalidInputError(problem, [("/groupRoles", problem)])
    return found


def store_provider(
    organization_id: str, provider_id: str, wanted: ProviderSettings
) -> tuple[SignInProvider, dict[str, object]]:
    """Store a new provider or change one; return the provider and its former settings.

    Raises InvalidInputError, ConflictError and NotFoundError.
    """
    row = find_provider(organization_id, provider_id)
    if row is None:
        row = SignInProvider(pk=provider_id, organization_id=organization_id)
        if providers_of(organization_id).count() >= MOST_PROVIDERS:
            raise ConflictError(f"An organization has at most {MOST_PROVIDERS} sign-in providers.")
    before = describe(row)
    # People of the old issuer would pass as people of the new one.
    if row.issuer and row.issuer != wanted.issuer and row.identities.exists():
        problem = "People sign in with this issuer. Add the other one as a new provider."
        raise InvalidInputError(problem, [("/issuer", problem)])
    row.name, row.issuer, row.client_id = wanted.name, wanted.issuer, wanted.client_id
    if wanted.client_secret:
        row.client_secret = encrypt(wanted.client_secret)
    elif not row.client_secret:
        raise InvalidInputError("Enter the secret.", [("/clientSecret", "Enter the secret.")])
    row.domains, row.group_roles = clean_domains(wanted.domains), map_groups(wanted.group_roles)
    row.groups_claim, row.default_role = wanted.groups_claim, wanted.default_role
    row.trusts_email = wanted.trusts_email
    if not row.group_roles and not row.default_role:
        problem = "Without groups, everyone at the provider needs a role. Choose one."
        raise InvalidInputError(problem, [("/defaultRole", problem)])
    row.save()
    return row, before


def describe(row: SignInProvider) -> dict[str, object]:
    """Return the properties of a provider for the audit log: all but its secret."""
    names = ("name", "issuer", "client_id", "domains", "groups_claim", "group_roles")
    shown = {name: getattr(row, name) for name in (*names, "default_role", "trusts_email")}
    return shown if row.issuer else {}


def remove_provider(organization_id: str, provider_id: str) -> SignInProvider:
    """Remove a provider with its people's sessions; raises NotFoundError, ConflictError."""
    organization = Organization.objects.select_for_update().get(pk=organization_id)
    row = find_provider(organization_id, provider_id)
    if row is None:
        raise NotFoundError(UNKNOWN)
    if organization.password_owner_id and providers_of(organization_id).count() == 1:
        raise ConflictError(LAST_ONE)
    SignInProvider.objects.filter(pk=row.pk).delete()
    return row


def set_sign_in_policy(
    organization_id: str, owner_id: str, *, requires: bool
) -> tuple[Organization, dict[str, object]]:
    """Require single sign-on of all but one owner (of no one: empty), and a second factor.

    Returns the organization, and the policy before. Raises InvalidInputError for a person who
    cannot be the exempt owner, and ConflictError.
    """
    organization = Organization.objects.select_for_update().get(pk=organization_id)
    before: dict[str, object] = {
        "passwordOwnerId": organization.password_owner_id or "",
        "requiresSecondFactor": organization.requires_second_factor,
    }
    if owner_id and owner_id != organization.password_owner_id:
        if not providers_of(organization_id).exclude(last_sign_in_at=None).exists():
            raise ConflictError(NOT_TRIED)
        owner = members_of(organization_id).filter(user=owner_id, role="owner").first()
        if owner is None or not owner.user.has_usable_password():
            raise InvalidInputError(NOT_AN_OWNER, [("/passwordOwnerId", NOT_AN_OWNER)])
    organization.password_owner_id = owner_id or None
    organization.requires_second_factor = requires
    organization.save(update_fields=["password_owner", "requires_second_factor"])
    return organization, before
