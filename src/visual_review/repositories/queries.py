"""Queries for repositories and products, always within one organization; names for the audit log."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.db.models import QuerySet

from visual_review.audit.log import Target
from visual_review.kernel.errors import NotFoundError
from visual_review.repositories.models import PRODUCT_LENGTH, Product, Repository
from visual_review.repositories.names import NAME_LENGTH

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


def repository_named(organization_id: str, full_name: str) -> Repository:
    """Return the repository by name; raises NotFoundError, also for another organization's."""
    # Git providers compare names without regard to case.
    row = repositories_of(organization_id).filter(full_name__iexact=full_name).first()
    if row is None:
        raise NotFoundError(
            f"The organization of this key has no repository '{full_name[:NAME_LENGTH]}'. Is it the "
            "right organization, and is the repository connected?"
        )
    return row


def repository_rows(organization_id: str) -> list[RepositoryRow]:
    """Return the connected repositories for a list, by name."""
    rows = repositories_of(organization_id).values_list(*RepositoryRow._fields)
    return [RepositoryRow(*columns) for columns in rows]


def require_listed(organization_id: str, repository_id: str, product_key: str | None) -> None:
    """Raise NotFoundError unless the organization has the repository and the given product.

    For empty lists: a list with rows shows that both exist.
    """
    if not repositories_of(organization_id).filter(pk=repository_id).exists():
        raise NotFoundError(REPOSITORY_UNKNOWN)
    # An empty list of an unknown product would look as if there was nothing yet.
    products = Product.objects.filter(repository_id=repository_id, key=product_key)
    if product_key is not None and not products.exists():
        raise unknown_product(repository_id, product_key)


def unknown_product(repository_id: str, key: str) -> NotFoundError:
    """Return the error for the key of a missing product, with the existing keys."""
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
    """Return the sentence with the keys of existing products, the first ones of many."""
    if not keys:
        return "It has no product yet."
    listed = ", ".join(f"'{key}'" for key in keys[:MOST_KEYS])
    more = f" and {len(keys) - MOST_KEYS} more" if len(keys) > MOST_KEYS else ""
    return f"It has {listed}{more}."


def repository_target(repository: Repository) -> Target:
    return Target("repository", repository.id, repository.full_name)


def product_target(product: Product) -> Target:
    # A product's key says little alone: every repository has one called default.
    return Target("product", product.id, f"{product.repository.full_name} {product.key}")
