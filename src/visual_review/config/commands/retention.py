"""Implements ``visual-review retention``; needs Django."""

from collections.abc import Iterator

from visual_review.config.schema_version import check_migrations
from visual_review.jobs.upkeep.sweep_retention import expired_items, find_unused_images, sweep
from visual_review.kernel.blobs import blob_store
from visual_review.kernel.clock import now, rfc3339


def list_planned_deletions() -> Iterator[str]:
    """List what a sweep would delete now, one line per item; deletes nothing."""
    check_migrations()
    moment = now()
    for item in expired_items(moment):
        created = rfc3339(item.created_at)
        yield f"{item.kind}\t{item.repository}\t{item.name}\t{created}\t{item.id}"
    for unused_images in find_unused_images(moment):
        yield (
            f"unused images\t{unused_images.organization}\t{unused_images.images}"
            f"\t{unused_images.bytes} bytes"
        )


def run() -> str:
    """Sweep now, and return a report of the deletions."""
    check_migrations()
    result = sweep(now(), blob_store())
    return (
        f"Deleted {result.builds} builds, {result.recordings} recordings, {result.images} images "
        f"and {result.rendered_images} rendered images."
    )
