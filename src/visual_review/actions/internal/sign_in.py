"""Single sign-on, and the rules for passwords."""

from typing import Annotated, Literal

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import MEMBERS_MANAGE
from visual_review.accounts.single_sign_on.people import end_unconnected_access
from visual_review.accounts.single_sign_on.protocol import (
    ProviderConfiguration,
    check_issuer,
    discover,
)
from visual_review.accounts.single_sign_on.providers import (
    ProviderSettings,
    describe,
    remove_provider,
    set_sign_in_policy,
    store_provider,
)
from visual_review.actions.action import AfterNetwork, Operation, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change, Target

PROVIDER_ADDED = "sign_in_provider.added"
PROVIDER_CHANGED = "sign_in_provider.changed"
PROVIDER_REMOVED = "sign_in_provider.removed"
POLICY_CHANGED = "organization.sign_in_policy_changed"

MOST_GROUPS = 200


class GroupRole(ActionInput):
    group: Annotated[str, Field(min_length=1, max_length=200)]
    role: str


class SaveSignInProviderInput(ActionInput):
    """``providerId`` may be new; ``clientSecret`` is empty to keep the stored one."""

    provider_id: str
    name: Annotated[str, Field(min_length=1, max_length=60)]
    issuer: Annotated[str, Field(max_length=500)]
    client_id: Annotated[str, Field(min_length=1, max_length=255)]
    client_secret: Annotated[str, Field(max_length=1000)] = ""
    domains: Annotated[list[str], Field(max_length=50)]
    groups_claim: Annotated[str, Field(min_length=1, max_length=100)] = "groups"
    group_roles: Annotated[list[GroupRole], Field(max_length=MOST_GROUPS)]
    default_role: Literal["", "viewer", "reviewer", "admin", "owner"] = ""
    trusts_email: bool = False


class SaveSignInProviderResult(ActionResult):
    id: str
    name: str


def _call_save_sign_in_provider(
    _caller: Caller, values: SaveSignInProviderInput
) -> ProviderConfiguration:
    return discover(check_issuer(values.issuer))


def _save_sign_in_provider(
    caller: Caller, values: SaveSignInProviderInput, found: ProviderConfiguration
) -> Outcome[SaveSignInProviderResult]:
    """Add a provider for single sign-on, or change one."""
    wanted = ProviderSettings(
        name=values.name,
        issuer=found.issuer,
        client_id=values.client_id,
        client_secret=values.client_secret,
        domains=values.domains,
        groups_claim=values.groups_claim,
        group_roles=[(each.group, each.role) for each in values.group_roles],
        default_role=values.default_role,
        trusts_email=values.trusts_email,
    )
    row, before = store_provider(caller.organization_id, values.provider_id, wanted)
    target = Target("sign_in_provider", row.pk, row.name)
    after = describe(row) | ({"secretChanged": True} if values.client_secret and before else {})
    change = Change(PROVIDER_CHANGED if before else PROVIDER_ADDED, target, before or None, after)
    result = SaveSignInProviderResult(id=row.pk, name=row.name)
    return Outcome(result, (change,) if before != after else ())


class RemoveSignInProviderInput(ActionInput):
    provider_id: str


class RemoveSignInProviderResult(ActionResult):
    name: str


def _remove_sign_in_provider(
    caller: Caller, values: RemoveSignInProviderInput
) -> Outcome[RemoveSignInProviderResult]:
    """Remove a provider for single sign-on.

    Its people remain members; where single sign-on is required, their keys and apps end.
    """
    row = remove_provider(caller.organization_id, values.provider_id)
    ended = end_unconnected_access(row.organization)
    target = Target("sign_in_provider", values.provider_id, row.name)
    return Outcome(
        RemoveSignInProviderResult(name=row.name),
        (Change(PROVIDER_REMOVED, target, before=describe(row), after=ended),),
    )


class SetSignInPolicyInput(ActionInput):
    """``passwordOwnerId`` is the one person who may use a password; empty: everyone."""

    password_owner_id: str
    requires_second_factor: bool


class SetSignInPolicyResult(ActionResult):
    revoked_keys: int
    disconnected_apps: int


def _set_sign_in_policy(
    caller: Caller, values: SetSignInPolicyInput
) -> Outcome[SetSignInPolicyResult]:
    """Set who may sign in with a password, and whether with a second factor.

    Keys and apps of members who never signed in through a provider end where single sign-on is
    required.
    """
    organization, before = set_sign_in_policy(
        caller.organization_id, values.password_owner_id, requires=values.requires_second_factor
    )
    ended = end_unconnected_access(organization)
    result = SetSignInPolicyResult.model_validate(ended)
    after = values.model_dump(by_alias=True)
    if before == after:
        return Outcome(result)
    target = Target("organization", organization.pk, organization.name)
    return Outcome(result, (Change(POLICY_CHANGED, target, before, after | ended),))


ACTIONS = (
    Operation(
        name="save_sign_in_provider",
        permission=MEMBERS_MANAGE,
        input=SaveSignInProviderInput,
        run=AfterNetwork(_call_save_sign_in_provider, _save_sign_in_provider),
        verbs=(PROVIDER_ADDED, PROVIDER_CHANGED),
    ),
    Operation(
        name="remove_sign_in_provider",
        permission=MEMBERS_MANAGE,
        input=RemoveSignInProviderInput,
        run=_remove_sign_in_provider,
        verbs=(PROVIDER_REMOVED,),
    ),
    Operation(
        name="set_sign_in_policy",
        permission=MEMBERS_MANAGE,
        input=SetSignInPolicyInput,
        run=_set_sign_in_policy,
        verbs=(POLICY_CHANGED,),
    ),
)
