"""Who may enter an organization, with which role and which account; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from visual_review.accounts.permissions import ROLES
from visual_review.kernel.errors import ForbiddenError

LONGEST_SUBJECT: Final = 255
# Providers send a few; a hostile one could send millions.
MOST_GROUPS: Final = 1000


class SignInRefusedError(ForbiddenError):
    """The provider's response lets no one in; the message says why."""


class ResponseInvalidError(SignInRefusedError):
    """The response proves neither access nor the lack of access."""


@dataclass(frozen=True)
class Claims:
    """A provider's claims about a person; ``email_verified``: None without a claim."""

    subject: str
    email: str
    email_verified: bool | None
    name: str = ""
    groups: tuple[str, ...] = ()


@dataclass(frozen=True)
class AdmissionRules:
    """An owner's rules: see the columns of SignInProvider."""

    provider: str
    domains: Sequence[str]
    group_roles: Mapping[str, str]
    default_role: str
    trusts_email: bool


@dataclass(frozen=True)
class AccountFacts:
    """An existing account with the e-mail: facts on whether the organization owns the account."""

    is_signed_in: bool
    created_here: bool
    has_other_organizations: bool
    has_organizations: bool


def read_claims(data: Mapping[str, Any], groups_claim: str) -> Claims:
    """Return the claims of an ID token and user info; raises SignInRefusedError without a subject.

    The names are from OpenID Connect Core 1.0, section 5.1.
    """
    subject, verified = data.get("sub"), data.get("email_verified")
    if not isinstance(subject, str) or not 0 < len(subject) <= LONGEST_SUBJECT or "\0" in subject:
        raise SignInRefusedError("The provider did not say who you are: 'sub' is missing.")
    groups = data.get(groups_claim)
    if isinstance(groups, str):
        groups = [groups]
    return Claims(
        subject=subject,
        email=_text(data.get("email")).strip().lower(),
        # Some providers send a string.
        email_verified=None if verified is None else verified in (True, "true"),
        name=_text(data.get("name")).strip(),
        groups=tuple(map(_text, groups[:MOST_GROUPS])) if isinstance(groups, list) else (),
    )


def _text(value: object) -> str:
    return value.replace("\0", "") if isinstance(value, str) else ""


def admit(claims: Claims, rules: AdmissionRules) -> str:
    """Return the person's role by the rules; raises SignInRefusedError."""
    if not claims.email:
        raise SignInRefusedError(
            f"{rules.provider} sent no e-mail address. Add the claim 'email' to its client."
        )
    if not (rules.trusts_email if claims.email_verified is None else claims.email_verified):
        raise SignInRefusedError(
            f"{rules.provider} has not verified {claims.email}. Verify it there, then "
            "sign in again."
        )
    domain = claims.email.rpartition("@")[2]
    if domain not in rules.domains:
        raise SignInRefusedError(
            f"{claims.email} does not belong to {', '.join(rules.domains)}. Use another account "
            f"at {rules.provider}, or ask an owner to add the domain."
        )
    mapped = {rules.group_roles[group] for group in claims.groups if group in rules.group_roles}
    # Of several groups, the one with most permissions counts.
    found = next((role for role in reversed(ROLES) if role in mapped), rules.default_role)
    if not found:
        raise SignInRefusedError(
            f"You are in none of the groups that may sign in. Ask an administrator of {rules.provider}."
        )
    return found


def role_after(current: str, admitted: str, rules: AdmissionRules) -> str:
    """Return the role of a member after a sign-in; without mapped groups, the role stays."""
    return admitted if rules.group_roles else current


def link_account(email: str, facts: AccountFacts) -> bool:
    """Return whether to remove the account's password when the provider's person gets the account.

    Otherwise a provider could open accounts of other organizations by naming their e-mails.
    Raises SignInRefusedError unless the account is the person's for certain.
    """
    if facts.is_signed_in or (facts.created_here and not facts.has_other_organizations):
        return False
    if not facts.has_organizations:
        # Someone else may have chosen the password, and there is nothing to lose.
        return True
    raise SignInRefusedError(
        f"There is an account {email} already. Sign in to it with its password first, then choose "
        "single sign-on once more: that connects both."
    )


def may_use(
    organization_id: str,
    user_id: str,
    password_owner: str | None,
    provider_organization: str | None,
) -> bool:
    """Return whether a person's session may act in an organization.

    A provider's session acts in the organization of the provider alone, whose administrators could
    sign in as anyone. A session with a password has no ``provider_organization``. Where single
    sign-on is required, ``password_owner`` is the one person who may use a password.
    """
    if provider_organization is not None:
        return organization_id == provider_organization
    return password_owner in (None, user_id)
