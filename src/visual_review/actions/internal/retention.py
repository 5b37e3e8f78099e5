"""How long data is kept, and how much storage the data uses."""

from typing import Annotated, Final, Literal

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import MEMBERS_MANAGE, REPOS_MANAGE
from visual_review.actions.action import Operation, Outcome
from visual_review.actions.schema import ActionInput, ActionResult, JsonInteger
from visual_review.audit.log import Change, Target
from visual_review.repositories.queries import repository_of, repository_target
from visual_review.repositories.quotas import enqueue_measuring
from visual_review.repositories.retention import (
    MAX_DAYS,
    organization_retention_entry,
    repository_retention_entry,
    retention_of,
)

ORGANIZATION_RETENTION_CHANGED = "organization.retention_changed"
REPOSITORY_RETENTION_CHANGED = "repository.retention_changed"
AUDIT_RETENTION_CHANGED = "organization.audit_retention_changed"

Days = Annotated[JsonInteger, Field(ge=0, le=MAX_DAYS)]


class SetOrgRetentionInput(ActionInput):
    """0: never deleted. What is omitted stays as it is."""

    builds_days: Days | None = None
    images_days: Annotated[JsonInteger, Field(ge=1, le=MAX_DAYS)] | None = None
    recordings_days: Days | None = None


def _set_org_retention(caller: Caller, values: SetOrgRetentionInput) -> Outcome[ActionResult]:
    """Set how long an organization keeps builds, unused images and recordings.

    Baselines are kept as long as their branch exists.
    """
    retention = retention_of(caller.organization_id, lock=True)
    before = organization_retention_entry(retention)
    if values.builds_days is not None:
        retention.builds_days = values.builds_days or None
    if values.images_days is not None:
        retention.images_days = values.images_days
    if values.recordings_days is not None:
        retention.recordings_days = values.recordings_days or None
    retention.save()
    after = organization_retention_entry(retention)
    if after == before:
        return Outcome(ActionResult())
    target = Target("organization", caller.organization_id)
    change = Change(ORGANIZATION_RETENTION_CHANGED, target, before, after)
    return Outcome(ActionResult(), (change,))


class SetRepoRetentionInput(ActionInput):
    """0: never deleted. ``as_organization`` lists what uses the organization's setting again."""

    repo_id: str
    builds_days: Days | None = None
    recordings_days: Days | None = None
    as_organization: list[Literal["builds", "recordings"]] = Field(default=[])


def _set_repo_retention(caller: Caller, values: SetRepoRetentionInput) -> Outcome[ActionResult]:
    """Set how long one repository keeps builds and recordings."""
    repository = repository_of(caller.organization_id, values.repo_id, lock=True)
    before = repository_retention_entry(repository)
    if values.builds_days is not None:
        repository.keep_builds_days = values.builds_days
    if values.recordings_days is not None:
        repository.keep_recordings_days = values.recordings_days
    if "builds" in values.as_organization:
        repository.keep_builds_days = None
    if "recordings" in values.as_organization:
        repository.keep_recordings_days = None
    repository.save(update_fields=["keep_builds_days", "keep_recordings_days"])
    after = repository_retention_entry(repository)
    if after == before:
        return Outcome(ActionResult())
    change = Change(REPOSITORY_RETENTION_CHANGED, repository_target(repository), before, after)
    return Outcome(ActionResult(), (change,))


# A shorter period would let an owner hide last week's events.
LEAST_AUDIT_DAYS: Final = 30


class SetAuditRetentionInput(ActionInput):
    """Null: kept forever."""

    days: Annotated[JsonInteger, Field(ge=LEAST_AUDIT_DAYS, le=MAX_DAYS)] | None


def _set_audit_retention(caller: Caller, values: SetAuditRetentionInput) -> Outcome[ActionResult]:
    """Set how long the audit log is kept."""
    retention = retention_of(caller.organization_id, lock=True)
    before, retention.audit_days = retention.audit_days, values.days
    retention.save(update_fields=["audit_days"])
    if before == values.days:
        return Outcome(ActionResult())
    target = Target("organization", caller.organization_id)
    change = Change(AUDIT_RETENTION_CHANGED, target, {"days": before}, {"days": values.days})
    return Outcome(ActionResult(), (change,))


def _measure_storage(caller: Caller, _values: ActionInput) -> Outcome[ActionResult]:
    """Queue a job for measuring storage use now, without an audit entry: no data changes."""
    enqueue_measuring(caller.organization_id)
    return Outcome(ActionResult())


ACTIONS = (
    Operation(
        name="set_org_retention",
        permission=REPOS_MANAGE,
        input=SetOrgRetentionInput,
        frees_space=True,
        run=_set_org_retention,
        verbs=(ORGANIZATION_RETENTION_CHANGED,),
    ),
    Operation(
        name="set_repo_retention",
        permission=REPOS_MANAGE,
        input=SetRepoRetentionInput,
        frees_space=True,
        run=_set_repo_retention,
        verbs=(REPOSITORY_RETENTION_CHANGED,),
    ),
    Operation(
        name="set_audit_retention",
        # Only owners have this permission: the log is about admins, too.
        permission=MEMBERS_MANAGE,
        input=SetAuditRetentionInput,
        frees_space=True,
        run=_set_audit_retention,
        verbs=(AUDIT_RETENTION_CHANGED,),
    ),
    Operation(
        name="measure_storage",
        permission=REPOS_MANAGE,
        input=ActionInput,
        run=_measure_storage,
    ),
)
