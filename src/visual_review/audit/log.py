"""Writes the audit log, always in the transaction of the recorded change."""

from dataclasses import dataclass
from typing import Any

from visual_review.audit.models import AuditEntry

NAME_LENGTH = 500


@dataclass(frozen=True)
class Actor:
    """Who acts. ``kind`` is user, organization_key, project_token, ci_identity or system.

    ``client`` and ``client_id`` name the connecting program, ``credential_id`` the key or grant.
    """

    kind: str
    id: str
    name: str
    channel: str
    client: str = ""
    client_id: str = ""
    credential_id: str = ""


SYSTEM = Actor(kind="system", id="system", name="Visual Review", channel="job")


@dataclass(frozen=True)
class Target:
    """The changed object: its kind (``repository``, ``build``), id and readable name."""

    kind: str
    id: str
    name: str = ""


@dataclass(frozen=True)
class Change:
    """A finished change: the verb (``screenshot.rejected``), its target, before and after."""

    verb: str
    target: Target
    before: dict[str, Any] | None = None
    after: dict[str, Any] | None = None


def record(organization_id: str | None, actor: Actor, *changes: Change) -> None:
    """Write an entry for each; ``before`` and ``after`` must never contain secrets."""
    AuditEntry.objects.bulk_create(_entry(organization_id, actor, change) for change in changes)


def _entry(organization_id: str | None, actor: Actor, change: Change) -> AuditEntry:
    return AuditEntry(
        organization_id=organization_id,
        actor_kind=actor.kind,
        actor_id=actor.id,
        # Names of people and clients are truncated: a long name must not make a change fail.
        actor_name=actor.name[:300],
        channel=actor.channel,
        client=actor.client[:300],
        client_id=actor.client_id[:300],
        credential_id=actor.credential_id,
        verb=change.verb,
        target_kind=change.target.kind,
        target_id=change.target.id[:300],
        target_name=change.target.name[:NAME_LENGTH],
        before=change.before,
        after=change.after,
    )
