"""The verdict on a pair of images: known already, cached, or computed now. Rule 11."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from visual_review.builds.images.keys import diff_image_key, image_key
from visual_review.builds.models import Comparison, Image
from visual_review.imagediff import (
    ENGINE_VERSION,
    Box,
    Options,
    Region,
    compare_and_draw,
)
from visual_review.kernel.blob_locks import storing
from visual_review.kernel.blobs import BlobStore

DEFAULT_THRESHOLD = 0.1


@dataclass(frozen=True)
class Pair:
    """Two images of one story and variant, with what decides their comparison.

    ``regions`` are fractions of the image, ``threshold`` the colour distance that passes.
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
        """Digest of everything the verdict depends on, the engine's version included."""
        facts = [
            ENGINE_VERSION,
            self.before.pixels_sha256,
            self.after.pixels_sha256,
            sorted(self.regions),
            self.threshold,
        ]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()

    def options(self) -> Options:
        return Options(
            threshold=self.threshold, regions=tuple(Region(*region) for region in self.regions)
        )


def region_tuples(
    regions: Sequence[Mapping[str, Any]],
) -> tuple[tuple[float, float, float, float], ...]:
    """Stored regions in a fixed order, so that the same set has the same digest."""
    return tuple(sorted((r["x"], r["y"], r["width"], r["height"]) for r in regions))


def compare_pair(organization_id: str, pair: Pair, blobs: BlobStore) -> Comparison:
    """The stored verdict on ``pair``, computed when it is the first time.

    Raises imagediff's ImageError for a file that cannot be read. Two workers may compute the
    same pair at once; the first row stays, and their pictures are the same bytes.
    """
    found = Comparison.objects.filter(organization_id=organization_id, key=pair.key).first()
    if found is not None:
        return found
    outcome = compare_and_draw(
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
    with storing(organization_id):
        if not verdict.equal:
            # The picture comes first: a row that tells of it must find it.
            blobs.put(diff_image_key(row), outcome.picture)
        Comparison.objects.bulk_create([row], ignore_conflicts=True)
    return Comparison.objects.get(organization_id=organization_id, key=pair.key)


def _box(box: Box) -> dict[str, int]:
    return {"x": box.x, "y": box.y, "width": box.width, "height": box.height}
