"""Connecting a repository: its row, its default product, its first project token."""

from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.db.models import Q

from visual_review.kernel.clock import now
from visual_review.kernel.errors import ConflictError
from visual_review.repositories.models import DEFAULT_PRODUCT, HostAccount, Product, Repository
from visual_review.repositories.names import check_branch, check_full_name
from visual_review.repositories.tokens import mint_token


@dataclass(frozen=True)
class Connected:
    """``token`` is the project token's text, told this once."""

    repository: Repository
    token: str


@dataclass(frozen=True)
class AtHost:
    """Where a repository lies at the connected host; ``host_id`` is its id there."""

    account: HostAccount
    host_id: str


def connect_repository(
    organization_id: str, full_name: str, default_branch: str, at_host: AtHost | None = None
) -> Connected:
    """Register ``full_name``; raises InvalidInputError, or ConflictError when it is known.

    Source hosts compare names without regard to case, so does this.
    """
    check_full_name(full_name)
    check_branch(default_branch, "/defaultBranch")
    try:
        # The savepoint keeps the transaction usable for looking up who was first.
        with transaction.atomic():
            repository = Repository.objects.create(
                organization_id=organization_id,
                full_name=full_name,
                default_branch=default_branch,
                host_account=at_host.account if at_host else None,
                host_id=at_host.host_id if at_host else "",
                host_checked_at=now() if at_host else None,
            )
    except IntegrityError as error:
        raise _already_connected(organization_id, full_name, at_host) from error
    Product.objects.create(repository=repository, key=DEFAULT_PRODUCT)
    return Connected(repository, mint_token(repository))


def _already_connected(
    organization_id: str, full_name: str, at_host: AtHost | None
) -> ConflictError:
    same = Q(full_name__iexact=full_name)
    if at_host is not None:
        # It may have been renamed at the host since it was connected here.
        same |= Q(host_account=at_host.account, host_id=at_host.host_id)
    known = Repository.objects.filter(
        same, organization_id=organization_id, removed_at=None
    ).first()
    if known is None:
        return ConflictError(f"'{full_name}' was connected and removed at this moment; try again.")
    return ConflictError(
        f"'{known.full_name}' is connected already, with the id '{known.id}'. Use "
        "rotate_repo_token for a new project token, or remove_repo to begin anew."
    )
