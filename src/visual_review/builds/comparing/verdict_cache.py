"""The verdict on a pair of images, from the cache or computed. Rule 11."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from visual_review.builds.images.image_memory import image_memory, size_of
from visual_review.builds.images.keys import diff_image_key, image_key
from visual_review.builds.models import Comparison, Image
from visual_review.imagediff import (
    ENGINE_VERSION,
    Box,
    Options,
    Region,
    compare_and_render,
)
from visual_review.imagediff.memory import comparison_memory
from visual_review.kernel.blob_locks import lock_for_storing
from visual_review.kernel.blobs import BlobStore

DEFAULT_THRESHOLD = 0.1


@dataclass(frozen=True)
class Pair:
    """Two images of one story and variant, with the options of their comparison.

    ``regions`` are fractions of the image, ``threshold`` is the color distance that passes.
    """

    before: Image
    after: Image
    regions: tuple[tuple[float, float, float, float], ...] = ()
    threshold: float = DEFAULT_THRESHOLD

    @property
    def pixel_equal(self) -> bool:
        return self.before.pixels_sha256 == self.after.pixels_sha256

    @property
    def key(self) -> str:
        """Digest of everything the verdict depends on, including the engine version."""
        inputs = [
            ENGINE_VERSION,
            self.before.pixels_sha256,
            self.after.pixels_sha256,
            sorted(self.regions),
            self.threshold,
        ]
        return hashlib.sha256(json.dumps(inputs).encode()).hexdigest()

    @property
    def memory(self) -> int:
        """The bytes that comparing the pair takes at most."""
        files = self.before.size + self.after.size
        return files + comparison_memory(size_of(self.before), size_of(self.after))

    def options(self) -> Options:
        return Options(
            threshold=self.threshold, regions=tuple(Region(*region) for region in self.regions)
        )


def region_tuples(
    regions: Sequence[Mapping[str, Any]],
) -> tuple[tuple[float, float, float, float], ...]:
    """Return regions in a fixed order, so that the same set has the same digest."""
    return tuple(sorted((r["x"], r["y"], r["width"], r["height"]) for r in regions))


def cached_comparisons(organization_id: str, pairs: Iterable[Pair]) -> dict[str, Comparison]:
    """Return the verdicts that are already known, by the key of their pair."""
    keys = {pair.key for pair in pairs if not pair.pixel_equal}
    rows = Comparison.objects.filter(organization_id=organization_id, key__in=keys)
    return {row.key: row for row in rows}


def compare_pair(organization_id: str, pair: Pair, blobs: BlobStore) -> Comparison:
    """Return the verdict on ``pair``, computed and stored if it is not cached.

    Raises imagediff's ImageError for a file that cannot be read. Two workers may compute the same
    pair at once; the first row stays, and their images have the same bytes.
    """
    found = Comparison.objects.filter(organization_id=organization_id, key=pair.key).first()
    if found is not None:
        return found
    with image_memory().reserve(pair.memory):
        outcome = compare_and_render(
            blobs.get(image_key(pair.before)), blobs.get(image_key(pair.after)), pair.options()
        )
    verdict = outcome.verdict
    row = Comparison(
        organization_id=organization_id,
        key=pair.key,
        diff_pixels=verdict.diff_pixels,
        diff_ratio=verdict.diff_ratio,
        kind=verdict.kind,
        boxes=[_box(box) for box in verdict.boxes],
        only_in_regions=verdict.only_in_regions,
        has_picture=not verdict.equal,
    )
    with lock_for_storing(organization_id):
        if not verdict.equal:
            # The image is stored first: a row must not refer to a missing one.
            blobs.put(diff_image_key(row), outcome.diff_image)
        Comparison.objects.bulk_create([row], ignore_conflicts=True)
    return Comparison.objects.get(organization_id=organization_id, key=pair.key)


def _box(box: Box) -> dict[str, int]:
    return {"x": box.x, "y": box.y, "width": box.width, "height": box.height}
