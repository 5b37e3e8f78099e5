"""Queries for repositories and products, always within one organization."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import QuerySet

from visual_review.kernel.compiled_queries import CompiledQuery, Parameter
from visual_review.kernel.errors import NotFoundError
from visual_review.repositories.models import PRODUCT_LENGTH, Product, Repository

REPOSITORY_UNKNOWN = "There is no repository with this id."
# How many product keys an error lists.
MOST_KEYS = 20


class RepositoryRow(NamedTuple):
    """A connected repository in lists; ``host_id`` is its ID at the Git provider."""

    id: str
    full_name: str
    default_branch: str
    host_id: str
    created_at: datetime


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


def repository_rows(organization_id: str) -> list[RepositoryRow]:
    """Return the connected repositories for a list, by name."""
    return _REPOSITORIES.fetch(organization=organization_id)


def require_listed(organization_id: str, repository_id: str, product_key: str | None) -> None:
    """Raise NotFoundError unless the organization has the repository, with this product if given.

    For lists that are empty: one with rows shows that both exist.
    """
    if _REPOSITORY.first(organization=organization_id, repository=repository_id) is None:
        raise NotFoundError(REPOSITORY_UNKNOWN)
    # An empty list of an unknown product would look as if there was nothing yet.
    if product_key is not None and not _PRODUCT.first(repository=repository_id, key=product_key):
        raise unknown_product(repository_id, product_key)


def unknown_product(repository_id: str, key: str) -> NotFoundError:
    """Return the error for a key that no product of the repository has; it lists the keys."""
    keys = list(
        Product.objects.filter(repository_id=repository_id)
        .order_by("key")
        .values_list("key", flat=True)
    )
    return NotFoundError(
        f"The repository has no product '{key[:PRODUCT_LENGTH]}'. {describe_keys(keys)} "
        "A product is created by the first build that is published with its key."
    )


def describe_keys(keys: Sequence[str]) -> str:
    """Return the sentence that lists the keys of the products that exist, the first ones of many."""
    if not keys:
        return "It has no product yet."
    listed = ", ".join(f"'{key}'" for key in keys[:MOST_KEYS])
    more = f" and {len(keys) - MOST_KEYS} more" if len(keys) > MOST_KEYS else ""
    return f"It has {listed}{more}."


def _repository_rows() -> QuerySet[Repository, tuple[Any, ...]]:
    return repositories_of(Parameter("organization")).values_list(*RepositoryRow._fields)


def _repository_ids() -> QuerySet[Repository, tuple[Any, ...]]:
    rows = repositories_of(Parameter("organization")).filter(pk=Parameter("repository"))
    return rows.order_by().values_list("id")


def _product_ids() -> QuerySet[Product, tuple[Any, ...]]:
    rows = Product.objects.filter(repository_id=Parameter("repository"), key=Parameter("key"))
    return rows.values_list("id")


_REPOSITORIES = CompiledQuery(RepositoryRow, _repository_rows)
_REPOSITORY = CompiledQuery(str, _repository_ids)
_PRODUCT = CompiledQuery(str, _product_ids)
