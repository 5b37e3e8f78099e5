"""save_sign_in_provider: add a provider for single sign-on, or change one."""

from typing import Annotated, Literal

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import MEMBERS_MANAGE
from visual_review.accounts.single_sign_on.protocol import (
    ProviderConfiguration,
    check_issuer,
    discover,
)
from visual_review.accounts.single_sign_on.providers import (
    ProviderSettings,
    describe,
    store_provider,
)
from visual_review.actions.action import Action, AfterNetwork, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change, Target

ADDED = "sign_in_provider.added"
CHANGED = "sign_in_provider.changed"
MOST_GROUPS = 200


class GroupRole(ActionInput):
    group: Annotated[str, Field(min_length=1, max_length=200)]
    role: str


class Input(ActionInput):
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


class Result(ActionResult):
    id: str
    name: str


def call_provider(_caller: Caller, values: Input) -> ProviderConfiguration:
    return discover(check_issuer(values.issuer))


def run(caller: Caller, values: Input, found: ProviderConfiguration) -> Outcome[Result]:
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
    change = Change(CHANGED if before else ADDED, target, before or None, after)
    result = Result(id=row.pk, name=row.name)
    return Outcome(result, (change,) if before != after else ())


ACTION = Action(
    name="save_sign_in_provider",
    title="Add or change a sign-in provider",
    permission=MEMBERS_MANAGE,
    description="Adds a provider for single sign-on, or changes one, once its discovery document "
    "was read.",
    input=Input,
    result=Result,
    run=AfterNetwork(call_provider, run),
    verbs=(ADDED, CHANGED),
)
