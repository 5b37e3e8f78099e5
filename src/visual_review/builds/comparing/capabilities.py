"""Detect a product's capabilities from a build's images: dark mode and responsive layout."""

from collections import defaultdict
from collections.abc import Mapping

from django.db import transaction

from visual_review.audit.log import SYSTEM, Change, record
from visual_review.builds.images.blob_keys import image_key
from visual_review.builds.images.image_memory import image_limits, image_memory, size_of
from visual_review.builds.models import Build, Image, Screenshot
from visual_review.imagediff import ImageError
from visual_review.imagediff.content import has_same_content
from visual_review.imagediff.memory import content_memory
from visual_review.kernel.blobs import BlobMissingError, blob_store
from visual_review.repositories.capture_rules import Capabilities
from visual_review.repositories.models import Product
from visual_review.repositories.queries import product_target

Variant = tuple[str, str]
NARROW: Variant = ("light", "phone")
WIDE: Variant = ("light", "desktop")
DARK: Variant = ("dark", "desktop")
# Enough for detection, without decoding all images of a library without responsive layout.
MAX_STORIES_COMPARED = 60


def record_capabilities(build: Build) -> None:
    """Detect and store the product's capabilities if the build is full and detection is armed."""
    product = Product.objects.get(pk=build.product_id)
    if not product.detection_armed or build.is_partial:
        return
    found = _measure(build)
    if found is None:
        return
    with transaction.atomic():
        _store(build, found)


def _store(build: Build, found: Capabilities) -> None:
    product = Product.objects.select_for_update(no_key=True).get(pk=build.product_id)
    # Checked again under the lock: another build may have stored capabilities since.
    if not product.detection_armed:
        return
    before = {"darkMode": product.has_dark_mode, "responsive": product.is_responsive}
    product.has_dark_mode = found.has_dark_mode
    product.is_responsive = found.is_responsive
    product.detection_armed = False
    product.save(update_fields=["has_dark_mode", "is_responsive", "detection_armed"])
    record(
        build.repository.organization_id,
        SYSTEM,
        Change(
            "product.capabilities_detected",
            product_target(product),
            before=before,
            after={"darkMode": found.has_dark_mode, "responsive": found.is_responsive},
        ),
    )


def _measure(build: Build) -> Capabilities | None:
    """Return the capabilities, or None if the build lacks the variants for detection."""
    stories: dict[str, dict[Variant, Image]] = defaultdict(dict)
    rows = Screenshot.objects.filter(build=build, image__isnull=False).select_related("image")
    for row in rows.iterator():
        if row.image is not None:
            stories[row.story_id][(row.theme, row.device)] = row.image
    comparable = [images for images in stories.values() if {NARROW, WIDE, DARK} <= images.keys()]
    if not comparable:
        return None
    return Capabilities(
        has_dark_mode=any(_differs_by_theme(images) for images in comparable),
        is_responsive=any(
            _differs_by_width(images) for images in comparable[:MAX_STORIES_COMPARED]
        ),
    )


def _differs_by_theme(images: Mapping[Variant, Image]) -> bool:
    return images[WIDE].pixels_sha256 != images[DARK].pixels_sha256


def _memory(first: Image, second: Image) -> int:
    return first.size + second.size + content_memory(size_of(first), size_of(second))


def _differs_by_width(images: Mapping[Variant, Image]) -> bool:
    blobs = blob_store()
    try:
        with image_memory().reserve(
            images[NARROW].organization_id, _memory(images[NARROW], images[WIDE])
        ):
            narrow, wide = (blobs.get(image_key(images[variant])) for variant in (NARROW, WIDE))
            return not has_same_content(narrow, wide, image_limits())
    # An unreadable image proves nothing, and must not fail the build's job.
    except (ImageError, BlobMissingError):
        return False
