"""Connecting a repository, with its default product and first token; renaming and removing."""

from dataclasses import dataclass
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import Q, Value
from django.db.models.functions import Lower

from visual_review.kernel.clock import now
from visual_review.kernel.errors import ConflictError
from visual_review.kernel.queue import enqueue
from visual_review.repositories.models import DEFAULT_PRODUCT, HostAccount, Product, Repository
from visual_review.repositories.names import check_branch, check_full_name
from visual_review.repositories.tokens import mint_token, revoke_tokens

NAMED_BY_HOST: Final = (
    "The connected Git provider decides the repository's name. Rename it there; the new name "
    "arrives here by itself."
)
REMOVE_REPOSITORY = "remove_repository"


@dataclass(frozen=True)
class ConnectedRepository:
    """``token`` is the project token itself, available only now."""

    repository: Repository
    token: str


@dataclass(frozen=True)
class HostLocation:
    """The location of a repository at the connected host; ``host_id`` is its id there."""

    account: HostAccount
    host_id: str


def connect_repository(
    organization_id: str,
    full_name: str,
    default_branch: str,
    location: HostLocation | None = None,
    created_by_id: str = "",
) -> ConnectedRepository:
    """Register ``full_name``; raises InvalidInputError, or ConflictError if already connected.

    Names are compared without regard to case, as Git providers do. ``created_by_id`` is the user or
    key that sees the project token.
    """
    check_full_name(full_name)
    check_branch(default_branch, "/defaultBranch")
    try:
        # The savepoint keeps the transaction usable for finding the existing repository.
        with transaction.atomic():
            repository = Repository.objects.create(
                organization_id=organization_id,
                full_name=full_name,
                default_branch=default_branch,
                host_account=location.account if location else None,
                host_id=location.host_id if location else "",
                host_checked_at=now() if location else None,
            )
    except IntegrityError as error:
        raise _already_connected(organization_id, full_name, location) from error
    Product.objects.create(repository=repository, key=DEFAULT_PRODUCT)
    return ConnectedRepository(repository, mint_token(repository, created_by_id))


def rename_repository(repository: Repository, full_name: str, default_branch: str) -> None:
    """Store another name or default branch.

    Raises InvalidInputError, and ConflictError if another repository has the name or the Git
    provider decides the name.
    """
    check_full_name(full_name)
    check_branch(default_branch, "/defaultBranch")
    if full_name != repository.full_name and repository.host_account is not None:
        raise ConflictError(NAMED_BY_HOST)
    repository.full_name, repository.default_branch = full_name, default_branch
    try:
        with transaction.atomic():
            repository.save(update_fields=["full_name", "default_branch"])
    except IntegrityError as error:
        raise _already_connected(repository.organization_id, full_name, None) from error


def _already_connected(
    organization_id: str, full_name: str, location: HostLocation | None
) -> ConflictError:
    # The constraint compares names in the same way: by lower case only.
    same = Q(lower_name=Lower(Value(full_name)))
    if location is not None:
        # The repository may have been renamed at the host since it was connected.
        same |= Q(host_account=location.account, host_id=location.host_id)
    rows = Repository.objects.filter(organization_id=organization_id, removed_at=None)
    known = rows.annotate(lower_name=Lower("full_name")).filter(same).first()
    if known is None:
        return ConflictError(f"'{full_name}' was just connected and removed; try again.")
    return ConflictError(
        f"'{known.full_name}' is already connected, with the id '{known.id}'. Use "
        "rotate_repo_token for a new project token, or remove_repo to start over."
    )


def mark_removed(repository: Repository) -> None:
    """Hide the locked row, revoke its tokens, and queue the deletion of all its data."""
    repository.removed_at = now()
    repository.save(update_fields=["removed_at"])
    revoke_tokens(repository)
    enqueue_removal(repository.id)


def enqueue_removal(repository_id: str) -> None:
    """Queue the deletion of the marked repository, unless a job is already waiting."""
    enqueue(
        REMOVE_REPOSITORY,
        lock=f"remove:{repository_id}",
        once=f"remove:{repository_id}",
        repository_id=repository_id,
    )
