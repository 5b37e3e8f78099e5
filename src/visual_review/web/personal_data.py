"""The service's data on a person, as JSON Lines: one fact in each line, named by ``kind``."""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from allauth.mfa.models import Authenticator

from visual_review.accounts.models import User
from visual_review.accounts.oauth.clients import client_of
from visual_review.audit.models import AuditEntry
from visual_review.audit.queries import entry_as_json
from visual_review.builds.models import Comment, ReviewEntry
from visual_review.kernel.clock import rfc3339
from visual_review.messages.models import Channel

# Of decisions, comments and log entries each, the newest: one person's file must fit into memory.
MOST_ROWS: Final = 20_000
Fact = dict[str, Any]


def personal_data(user: User) -> str:
    """Return the whole file. A last line says so if there are more rows than fit."""
    return "".join(f"{json.dumps(fact)}\n" for fact in _facts(user))


def _facts(user: User) -> Iterator[Fact]:
    yield {
        "kind": "account",
        "id": user.id,
        "email": user.email,
        "name": user.name,
        "joinedAt": rfc3339(user.date_joined),
        "lastSignInAt": _time(user.last_login),
    }
    yield from _access(user)
    yield from _limited("comment", map(_comment, _newest(Comment, author_id=user.id)))
    yield from _limited("decision", map(_decision, _newest(ReviewEntry, decided_by_id=user.id)))
    yield from _limited("logEntry", map(entry_as_json, _newest(AuditEntry, actor_id=user.id)))


def _access(user: User) -> Iterator[Fact]:
    for member in user.memberships.select_related("organization"):
        yield {
            "kind": "membership",
            "organization": member.organization.name,
            "role": member.role,
            "since": rfc3339(member.created_at),
        }
    for session in user.sessions.all():
        yield {
            "kind": "session",
            "startedAt": rfc3339(session.started_at),
            "browser": session.browser,
            "network": session.network,
        }
    for identity in user.identities.select_related("provider"):
        yield {
            "kind": "identity",
            "provider": identity.provider.issuer,
            "subject": identity.subject,
            "endedAt": _time(identity.ended_at),
        }
    for factor in Authenticator.objects.filter(user=user):
        yield {
            "kind": "secondFactor",
            "type": factor.type,
            "addedAt": rfc3339(factor.created_at),
            "lastUsedAt": _time(factor.last_used_at),
        }
    for key in user.api_keys.select_related("organization"):
        yield {
            "kind": "apiKey",
            "organization": key.organization.name,
            "name": key.name,
            "createdAt": rfc3339(key.created_at),
            "lastUsedAt": _time(key.last_used_at),
            "revokedAt": _time(key.revoked_at),
        }
    for grant in user.grants.select_related("organization", "application"):
        yield {
            "kind": "connectedApp",
            "organization": grant.organization.name,
            "app": client_of(grant.application).name,
            "scope": grant.scope,
            "createdAt": rfc3339(grant.created_at),
            "disconnectedAt": _time(grant.disconnected_at),
        }
    for channel in Channel.objects.filter(user=user).select_related("organization"):
        organization = channel.organization.name
        yield {"kind": "mail", "organization": organization, "types": channel.types}


def _newest(model: Any, **owner: str) -> Iterator[Any]:  # noqa: ANN401 - Any model with these columns.
    return iter(model.objects.filter(**owner).order_by("-pk")[: MOST_ROWS + 1])


def _limited(kind: str, rows: Iterator[Fact]) -> Iterator[Fact]:
    for number, row in enumerate(rows):
        if number == MOST_ROWS:
            yield {"kind": "incomplete", "of": kind, "shown": MOST_ROWS}
            return
        yield {"kind": kind, **row}


def _comment(row: Comment) -> Fact:
    return {"id": row.id, "at": rfc3339(row.created_at), "text": row.text}


def _decision(row: ReviewEntry) -> Fact:
    return {
        "at": rfc3339(row.decided_at),
        "build": row.build_id,
        "story": row.story_id,
        "decision": row.decision,
        "comment": row.comment,
        "client": row.client,
    }


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else rfc3339(moment)
