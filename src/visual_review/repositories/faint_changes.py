"""Whether faint changes make a screenshot changed: a setting of each product."""

from visual_review.repositories.models import FAINT_CHANGES_COUNT, Product


def counts_faint_changes(product: Product) -> bool:
    """Return whether a screenshot with only faint changes counts as changed."""
    chosen = product.counts_faint_changes
    return FAINT_CHANGES_COUNT if chosen is None else chosen


def choose_faint_changes(product: Product, *, count: bool) -> bool:
    """Store the choice in the locked product; return whether the setting changed."""
    before = counts_faint_changes(product)
    product.counts_faint_changes = count
    product.save(update_fields=["counts_faint_changes"])
    return before != count
