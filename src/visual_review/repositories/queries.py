"""Repositories and products of one organization: queries, new products, names for the audit log."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.db.models import Case, F, QuerySet, Value, When

from visual_review.audit.log import Target
from visual_review.kernel.errors import NotFoundError
from visual_review.repositories.models import DEFAULT_PRODUCT, PRODUCT_LENGTH, Product, Repository
from visual_review.repositories.names import NAME_LENGTH

REPOSITORY_UNKNOWN = "There is no repository with this id."
# How many product keys an error lists.
MOST_KEYS = 20
# The stored default of the product's repository; before any publish, the product created on
# connecting.
_DEFAULT_KEY = Case(
    When(repository__default_product="", then=Value(DEFAULT_PRODUCT)),
    default=F("repository__default_product"),
)


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


def default_key(repository: Repository) -> str:
    """Return the key of the product for requests without a key."""
    return repository.default_product or DEFAULT_PRODUCT


def product_of(repository: Repository, key: str | None) -> Product:
    """Return the product with ``key``, or the default one for None; raises NotFoundError."""
    key = default_key(repository) if key is None else key
    row = repository.products.filter(key=key).first()
    if row is None:
        raise unknown_product(repository.pk, key)
    return row


def locked_product_of(organization_id: str, repository_id: str, key: str | None) -> Product:
    """Lock and return the product, or the default one for None; raises NotFoundError.

    The query includes its repository, organization and the organization's capture settings.
    """
    # Builds refer to the row, and creating a build must not wait for the lock.
    rows = (
        products_of(organization_id, repository_id, key)
        .select_related("repository__organization__capture")
        .select_for_update(no_key=True, of=("self",))
    )
    row = rows.first()
    if row is None:
        repository = repository_of(organization_id, repository_id)
        # The first publish may have given the default product another key in the meantime.
        row = rows.all().first() if key is None else None
        if row is None:
            raise unknown_product(repository.pk, default_key(repository) if key is None else key)
    return row


def products_of(organization_id: str, repository_id: str, key: str | None) -> QuerySet[Product]:
    """Return the product with ``key``, or the default one for None, as a query."""
    return Product.objects.filter(
        key=_DEFAULT_KEY if key is None else key,
        repository_id=repository_id,
        repository__organization_id=organization_id,
        repository__removed_at=None,
    )


def planned_product(repository: Repository, key: str) -> Product:
    """Return the product that a build with ``key`` would find or create; stores nothing."""
    found = repository.products.filter(key=key).first()
    if found is None and not repository.default_product:
        # The first publish does the same: settings made before belong to its product.
        found = repository.products.filter(key=DEFAULT_PRODUCT).first()
    return found or Product(repository=repository, key=key)


def published_product(repository: Repository, key: str) -> Product:
    """Return the published product, created if needed; the repository must be locked.

    The repository's first product becomes the default product, until a product named ``default`` is
    published.
    """
    is_first = not repository.default_product
    if is_first and not repository.products.filter(key=key).exists():
        # The product created on connecting becomes the first product, with the settings made so
        # far.
        repository.products.filter(key=DEFAULT_PRODUCT).update(key=key)
    if is_first or (key == DEFAULT_PRODUCT and repository.default_product != key):
        repository.default_product = key
        repository.save(update_fields=["default_product"])
    product, _ = Product.objects.get_or_create(repository=repository, key=key)
    return product
