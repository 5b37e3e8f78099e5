"""How often a story was unstable, or looked different without any change of its sources."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from visual_review.builds.models import Build, Screenshot
from visual_review.builds.states import COMPLETED
from visual_review.builds.variants import VariantKey

MOST_CAPTURES: Final = 10
# Partial builds capture few stories, so more builds than captures are searched.
_SEARCHED_BUILDS: Final = 40


@dataclass(frozen=True, slots=True)
class PastCapture:
    is_unstable: bool
    source_hash: str
    renderer_hash: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Flakiness:
    """Of the last ``captures`` of a variant, how many were unstable, and how many differed.

    ``varied`` counts captures with another image than the one before, although sources and renderer
    are the same.
    """

    captures: int
    unstable: int
    varied: int

    @property
    def is_flaky(self) -> bool:
        return self.unstable + self.varied > 0


def measure_flakiness(newest_first: Sequence[PastCapture]) -> Flakiness:
    latest = newest_first[:MOST_CAPTURES]
    varied = sum(
        newer.sha256 != older.sha256
        and newer.source_hash == older.source_hash != ""
        # Earlier hashes of sources cover the renderer.
        and newer.renderer_hash == older.renderer_hash
        for newer, older in zip(latest, newest_first[1:], strict=False)
    )
    return Flakiness(len(latest), sum(each.is_unstable for each in latest), varied)


def load_flakiness(build: Build, stories: Collection[str]) -> dict[VariantKey, Flakiness]:
    """Return the flakiness of the stories' variants up to ``build``, on any branch."""
    latest = _latest_builds(build)
    rows = Screenshot.objects.filter(build__in=latest, story_id__in=stories, inherited=False)
    columns = ("story_id", "theme", "device", "unstable", "source_hash", "renderer_hash", "sha256")
    # The order is known here; a join would look up the build of each row.
    order = {pk: position for position, pk in enumerate(latest)}
    found = rows.exclude(sha256="").values_list("build_id", *columns)
    captures: defaultdict[VariantKey, list[PastCapture]] = defaultdict(list)
    for _, story, theme, device, unstable, *hashes in sorted(found, key=lambda row: order[row[0]]):
        past = PastCapture(bool(unstable), *hashes)
        captures[VariantKey(story, theme, device)].append(past)
    return {variant: measure_flakiness(found) for variant, found in captures.items()}


def _latest_builds(build: Build) -> list[str]:
    earlier = Build.objects.filter(product=build.product_id, number__lte=build.number)
    rows = earlier.filter(status=COMPLETED).order_by("-number")
    return list(rows.values_list("pk", flat=True)[:_SEARCHED_BUILDS])
