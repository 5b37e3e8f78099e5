"""Products by key: the default product, and the creation of products."""

from django.db.models import Case, F, QuerySet, Value, When

from visual_review.repositories.models import DEFAULT_PRODUCT, Product, Repository
from visual_review.repositories.queries import repository_of, unknown_product

# The stored default of the product's repository; before any publish, the product created on
# connecting.
_DEFAULT_KEY = Case(
    When(repository__default_product="", then=Value(DEFAULT_PRODUCT)),
    default=F("repository__default_product"),
)


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
