"""Queries for repositories and products, always within one organization."""

from django.db.models import QuerySet

from visual_review.kernel.errors import NotFoundError
from visual_review.repositories.models import DEFAULT_PRODUCT, Product, Repository

REPOSITORY_UNKNOWN = "There is no repository with this id."


def repositories_of(organization_id: str) -> QuerySet[Repository]:
    """Return the connected repositories, by name."""
    return Repository.objects.filter(organization_id=organization_id, removed_at=None).order_by(
        "full_name"
    )


def repository_of(organization_id: str, repository_id: str, *, lock: bool = False) -> Repository:
    """Return the repository; raises NotFoundError, also for another organization's."""
    rows = repositories_of(organization_id).filter(pk=repository_id)
    row = (rows.select_for_update() if lock else rows).first()
    if row is None:
        raise NotFoundError(REPOSITORY_UNKNOWN)
    return row


def product_of(repository: Repository, key: str | None, *, lock: bool = False) -> Product:
    """Return the product with ``key``, or the default one for None; raises NotFoundError."""
    key = DEFAULT_PRODUCT if key is None else key
    rows = repository.products.filter(key=key)
    # Builds refer to the row, and creating them must not wait for its lock.
    row = (rows.select_for_update(no_key=True) if lock else rows).first()
    if row is None:
        raise NotFoundError(
            f"The repository has no product '{key[:64]}'. "
            "Products are created by the first build that is published with their key."
        )
    return row
