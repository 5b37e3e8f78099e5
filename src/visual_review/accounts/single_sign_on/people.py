"""The people of a provider: who comes in becomes a member, who may no longer come in loses access."""

from typing import Final

from allauth.mfa.models import Authenticator
from django.db import transaction

from visual_review.accounts.invitations import open_invitations
from visual_review.accounts.members import loses_last_owner
from visual_review.accounts.models import (
    ApiKey,
    Grant,
    Identity,
    Membership,
    Organization,
    Session,
    SignInProvider,
    User,
)
from visual_review.accounts.single_sign_on.rules import (
    AccountFacts,
    AdmissionRules,
    Claims,
    SignInRefusedError,
    admit,
    link_account,
    role_after,
)
from visual_review.accounts.users import NAME_LENGTH, invalidate_password_links, normalize_email
from visual_review.audit.log import SYSTEM, Actor, Change, Target, record
from visual_review.kernel.clock import now
from visual_review.kernel.encryption import encrypt

REFUSED: Final = "session.sign_in_refused"
ENDED: Final = "access.ended"
ANONYMOUS: Final = Actor(kind="system", id="stranger", name="Someone", channel="web")
# A claim of any length has to fit into the log.
LONGEST_REASON: Final = 500


def rules_of(provider: SignInProvider) -> AdmissionRules:
    return AdmissionRules(
        provider=provider.name,
        domains=provider.domains,
        group_roles=provider.group_roles,
        default_role=provider.default_role,
        trusts_email=provider.trusts_email,
    )


@transaction.atomic
def let_in(
    provider: SignInProvider, claims: Claims, signed_in: User | None, refresh_token: str
) -> Identity:
    """Make the person a member with the role of their groups, with a new account if need be.

    ``signed_in`` is the person of the session, whose account is connected. Raises
    SignInRefusedError.
    """
    # Two owners losing the role by their groups at the same moment must not both lose it.
    Organization.objects.select_for_update().get(pk=provider.organization_id)
    role = admit(claims, rules_of(provider))
    user = _account_of(provider, claims, signed_in)
    if not user.is_active:
        raise SignInRefusedError("Your account is not active. Ask the operator of this service.")
    identity, _ = Identity.objects.update_or_create(
        provider=provider,
        subject=claims.subject,
        defaults={
            "user": user,
            "refresh_token": encrypt(refresh_token),
            "checked_at": now(),
            "ended_at": None,
        },
    )
    membership = user.memberships.filter(organization=provider.organization_id).first()
    if membership is None:
        _join(provider, user, role)
    elif not _change_role(provider, membership, role):
        kept = {"role": membership.role}
        _record(provider, user, "member.role_kept", kept, {"groups": role})
    return identity


def store_refresh_token(identity: Identity, refresh_token: str) -> None:
    """Replace the refresh token, unless the person was removed or signed in meanwhile."""
    before, identity.refresh_token = identity.refresh_token, encrypt(refresh_token)
    current = Identity.objects.filter(pk=identity.pk, refresh_token=before)
    current.update(refresh_token=identity.refresh_token)


@transaction.atomic
def renew_access(identity: Identity, claims: Claims | None) -> None:
    """Store that the person still has access, with the role of their groups if known.

    Does nothing for a person removed or signed in meanwhile. Raises SignInRefusedError.
    """
    provider = identity.provider
    Organization.objects.select_for_update().get(pk=provider.organization_id)
    role = admit(claims, rules_of(provider)) if claims else ""
    current = Identity.objects.filter(pk=identity.pk, refresh_token=identity.refresh_token)
    if not current.update(checked_at=now()) or not role:
        return
    rows = identity.user.memberships.filter(organization=provider.organization_id)
    if membership := rows.first():
        _change_role(provider, membership, role)


def _account_of(provider: SignInProvider, claims: Claims, signed_in: User | None) -> User:
    known = Identity.objects.filter(provider=provider, subject=claims.subject)
    if identity := known.select_related("user").first():
        return identity.user
    user = User.objects.filter(email=claims.email).first()
    if user is None:
        user = User(email=normalize_email(claims.email), name=claims.name[:NAME_LENGTH])
        user.set_unusable_password()
        user.save()
        return user
    if Identity.objects.filter(provider=provider, user=user).exists():
        raise SignInRefusedError(
            f"{provider.name} uses {claims.email} for another person now. An owner can remove "
            "the earlier member, and the person then joins anew."
        )
    memberships = list(user.memberships.all())
    here = [each for each in memberships if each.organization_id == provider.organization_id]
    facts = AccountFacts(
        is_signed_in=user == signed_in,
        created_here=any(each.created_account for each in here),
        has_other_organizations=len(memberships) > len(here),
        has_organizations=bool(memberships),
    )
    if link_account(user.email, facts):
        user.set_unusable_password()
        user.save(update_fields=["password"])
        user.sessions.all().delete()
        Authenticator.objects.filter(user=user).delete()
    return user


def _join(provider: SignInProvider, user: User, role: str) -> None:
    Membership.objects.create(
        organization=provider.organization,
        user=user,
        role=role,
        created_account=not user.memberships.exists(),
    )
    open_invitations(provider.organization_id).filter(email=user.email).update(accepted_at=now())
    invalidate_password_links(user)
    _record(provider, user, "member.joined", None, {"role": role, "provider": provider.name})


def _change_role(provider: SignInProvider, membership: Membership, role: str) -> bool:
    """Give a member the role of their groups; return whether the member may have the role."""
    user = membership.user
    before, after = membership.role, role_after(membership.role, role, rules_of(provider))
    if before == after:
        return True
    members = Membership.objects.filter(organization=provider.organization_id)
    is_last = loses_last_owner(before, after, members.filter(role="owner").count())
    if is_last or user.pk == provider.organization.password_owner_id:
        # Without an owner no one could correct the groups.
        return False
    membership.role = after
    membership.save(update_fields=["role"])
    _record(provider, user, "member.role_changed", {"role": before}, {"role": after})
    return True


def _record(
    provider: SignInProvider,
    user: User,
    verb: str,
    before: dict[str, str] | None,
    after: dict[str, str],
) -> None:
    actor = Actor("user", user.id, str(user), "web", client=provider.name)
    change = Change(verb, Target("user", user.id, user.email), before, after)
    record(provider.organization_id, actor, change)


def record_refused(provider: SignInProvider, reason: str) -> None:
    """Record a sign-in that failed at the provider or was refused afterwards."""
    target = Target("sign_in_provider", provider.id, provider.name)
    refused = Change(REFUSED, target, after={"reason": reason[:LONGEST_REASON]})
    record(provider.organization_id, ANONYMOUS, refused)


@transaction.atomic
def end_access(identity: Identity, reason: str) -> None:
    """End the sessions, keys and apps of a person no longer admitted by the provider.

    Nothing ends if the person signed in meanwhile and so replaced the refresh token.
    """
    organization_id = identity.provider.organization_id
    current = Identity.objects.filter(pk=identity.pk, refresh_token=identity.refresh_token)
    if not current.update(ended_at=now(), refresh_token=""):
        return
    Session.objects.filter(identity=identity).delete()
    change = Change(
        ENDED,
        Target("user", identity.user_id, identity.user.email),
        after={
            "provider": identity.provider.name,
            "reason": reason[:LONGEST_REASON],
            **_end_keys_and_apps(organization_id, [identity.user_id]),
        },
    )
    record(organization_id, SYSTEM, change)


def end_unconnected_access(organization: Organization) -> dict[str, int]:
    """End keys and apps of members without an identity where single sign-on is required.

    No check at the provider would ever end the access of these members.
    """
    if not organization.password_owner_id:
        return {"revokedKeys": 0, "disconnectedApps": 0}
    connected = Identity.objects.filter(provider__organization=organization, ended_at=None)
    users = Membership.objects.filter(organization=organization).exclude(
        user__in=connected.values("user")
    )
    ids = users.exclude(user=organization.password_owner_id).values_list("user_id", flat=True)
    return _end_keys_and_apps(organization.pk, list(ids))


def _end_keys_and_apps(organization_id: str, user_ids: list[str]) -> dict[str, int]:
    owned = {"organization_id": organization_id, "user_id__in": user_ids}
    keys = ApiKey.objects.filter(**owned, revoked_at=None).update(revoked_at=now())
    apps = Grant.objects.filter(**owned, disconnected_at=None).update(disconnected_at=now())
    return {"revokedKeys": keys, "disconnectedApps": apps}
