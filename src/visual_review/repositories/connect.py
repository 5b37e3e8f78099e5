"""Connecting a repository: its row, its default product, its first project token."""

from dataclasses import dataclass

from django.db import IntegrityError, transaction

from visual_review.kernel.errors import ConflictError
from visual_review.repositories.models import DEFAULT_PRODUCT, Product, Repository
from visual_review.repositories.names import check_branch, check_full_name
from visual_review.repositories.tokens import mint_token


@dataclass(frozen=True)
class Connected:
    """``token`` is the project token's text, told this once."""

    repository: Repository
    token: str


def connect_repository(organization_id: str, full_name: str, default_branch: str) -> Connected:
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
            )
    except IntegrityError as error:
        raise _already_connected(organization_id, full_name) from error
    Product.objects.create(repository=repository, key=DEFAULT_PRODUCT)
    return Connected(repository, mint_token(repository))


def _already_connected(organization_id: str, full_name: str) -> ConflictError:
    known = Repository.objects.filter(
        organization_id=organization_id, full_name__iexact=full_name, removed_at=None
    ).first()
    if known is None:
        return ConflictError(f"'{full_name}' was connected and removed at this moment; try again.")
    return ConflictError(
        f"'{known.full_name}' is connected already, with the id '{known.id}'. Use "
        "rotate_repo_token for a new project token, or remove_repo to begin anew."
    )
