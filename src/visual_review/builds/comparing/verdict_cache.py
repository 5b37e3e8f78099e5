"""A pair of images to compare, and the already known verdicts. Rule 11."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from visual_review.builds.comparing.verdict_rows import LARGE_FIELDS
from visual_review.builds.images.image_memory import size_of
from visual_review.builds.models import Comparison, Image
from visual_review.imagediff import Options, Region, engine_key
from visual_review.imagediff.memory import comparison_memory

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

    @cached_property
    def key(self) -> str:
        """Digest of all inputs of the verdict, including the engine and its version."""
        inputs = [
            engine_key(),
            self.before.pixels_sha256,
            self.after.pixels_sha256,
            sorted(self.regions),
            self.threshold,
        ]
        return hashlib.sha256(json.dumps(inputs).encode()).hexdigest()

    @property
    def memory(self) -> int:
        """The most bytes of memory needed to compare the pair."""
        files = (self.before.size, self.after.size)
        # The compressed content of a file is copied before it is inflated.
        return (
            sum(files) + max(files) + comparison_memory(size_of(self.before), size_of(self.after))
        )

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
    """Return the already known verdicts, by the key of their pair."""
    keys = {pair.key for pair in pairs if not pair.pixel_equal}
    rows = Comparison.objects.filter(organization_id=organization_id, key__in=keys)
    rows = rows.defer(*LARGE_FIELDS)
    return {row.key: row for row in rows}
