"""What ``visual-review retention`` does, with Django at hand."""

from collections.abc import Iterator

from visual_review.config.schema_version import check_migrations
from visual_review.jobs.upkeep.sweep_retention import expired_items, sweep, unused
from visual_review.kernel.blobs import blob_store
from visual_review.kernel.clock import now, rfc3339


def planned() -> Iterator[str]:
    """What a sweep would delete now, a line each; deletes nothing."""
    check_migrations()
    moment = now()
    for it in expired_items(moment):
        yield f"{it.kind}\t{it.repository}\t{it.name}\t{rfc3339(it.created_at)}\t{it.id}"
    for found in unused(moment):
        yield f"unused images\t{found.organization}\t{found.images}\t{found.bytes} bytes"


def run() -> str:
    """Sweep now, and tell what went."""
    check_migrations()
    swept = sweep(now(), blob_store())
    return (
        f"Deleted {swept.builds} builds, {swept.recordings} recordings, {swept.images} images "
        f"and {swept.drawn} drawn pictures."
    )
