"""How repositories and products are named in the audit log."""

from visual_review.audit.log import Target
from visual_review.repositories.models import Product, Repository


def repository_target(repository: Repository) -> Target:
    return Target("repository", repository.id, repository.full_name)


def product_target(product: Product) -> Target:
    # A product's key says little alone: every repository has one called default.
    return Target("product", product.id, f"{product.repository.full_name} {product.key}")
