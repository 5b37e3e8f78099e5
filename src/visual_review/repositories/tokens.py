"""Project tokens: the credential CI publishes with, one active token per repository."""

from typing import Final

from django.db.models import QuerySet

from visual_review.accounts.callers import Caller, Channel
from visual_review.accounts.keys import organization_key_ids
from visual_review.accounts.secrets import (
    PROJECT_TOKEN,
    digest,
    hint_of_secret,
    new_secret,
    record_use,
)
from visual_review.kernel.clock import now
from visual_review.kernel.errors import UnauthenticatedError
from visual_review.repositories.models import ProjectToken, Repository

# The name of the CI secret with the token, part of the published interface.
SECRET_NAME: Final = "UI_REVIEW_TOKEN"  # noqa: S105 - A name, no secret.
NOT_RECOGNIZED = (
    "The project token is missing or not valid. Send 'Authorization: Bearer <project token>' "
    "with the token of this repository; if it was rotated, store the new one as the CI secret "
    "UI_REVIEW_TOKEN."
)


def mint_token(repository: Repository, created_by_id: str = "") -> str:
    """Create a token and return it; only its hash is stored.

    ``created_by_id`` is the user or key that sees the token.
    """
    secret = new_secret(PROJECT_TOKEN)
    ProjectToken.objects.create(
        repository=repository,
        hint=secret.hint,
        secret_hash=secret.digest,
        created_by_id=created_by_id,
    )
    return secret.text


def tokens_seen_by(organization_id: str, user_id: str) -> QuerySet[ProjectToken]:
    """Return the active tokens shown to a person, or to a key created by the person."""
    return (
        ProjectToken.objects.filter(
            repository__organization_id=organization_id,
            repository__removed_at=None,
            revoked_at=None,
            created_by_id__in=[user_id, *organization_key_ids(organization_id, user_id)],
        )
        .select_related("repository")
        .order_by("repository__full_name")
    )


def rotate_token(repository: Repository, created_by_id: str = "") -> str:
    """Create a new token and revoke all earlier ones in the same transaction.

    The repository's row must be locked, so that simultaneous rotations leave one active token.
    """
    revoke_tokens(repository)
    return mint_token(repository, created_by_id)


def hint_of(token: str) -> str:
    """Return the readable beginning of a project token."""
    return hint_of_secret(token, PROJECT_TOKEN)


def revoke_tokens(repository: Repository) -> None:
    ProjectToken.objects.filter(repository=repository, revoked_at=None).update(revoked_at=now())


def active_hint(repository: Repository) -> str:
    """Return the readable beginning of the active token; empty without one."""
    row = ProjectToken.objects.filter(repository=repository, revoked_at=None).first()
    return "" if row is None else row.hint


def caller_of_project_token(text: str, channel: Channel = "ci") -> Caller:
    """Return the caller of a project token; raises UnauthenticatedError, always the same.

    The caller has no permissions for actions: the CI interface decides what CI may do.
    """
    if not text.startswith(PROJECT_TOKEN):
        raise UnauthenticatedError(NOT_RECOGNIZED)
    token = (
        ProjectToken.objects.select_related("repository")
        # One query for all three checks: a revoked token gets the same error as a token that never
        # existed.
        .filter(secret_hash=digest(text), revoked_at=None, repository__removed_at=None)
        .first()
    )
    if token is None:
        raise UnauthenticatedError(NOT_RECOGNIZED)
    record_use(ProjectToken, token.id, token.last_used_at, now())
    return Caller(
        kind="project_token",
        id=token.id,
        name=f"CI of {token.repository.full_name}",
        organization_id=token.repository.organization_id,
        permissions=frozenset(),
        channel=channel,
        repository_id=token.repository_id,
    )
