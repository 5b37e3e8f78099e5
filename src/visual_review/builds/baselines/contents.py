"""The current content of a baseline, and its differences from another version."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Q, QuerySet

from visual_review.builds.models import Baseline, BaselineEntry
from visual_review.builds.variants import VariantKey
from visual_review.kernel.errors import NotFoundError

# More differences are counted, and not shown.
MOST_SHOWN: Final = 60


@dataclass(frozen=True)
class EntryPair:
    """A variant in the current version of the baseline and in another; None where missing."""

    key: VariantKey
    now: BaselineEntry | None
    then: BaselineEntry | None

    @property
    def title(self) -> str:
        entry = self.then or self.now
        return (entry.title if entry else "") or self.key.story_id


@dataclass(frozen=True)
class VersionDifference:
    """The changes of a restore of the version: ``count`` variants, the first few as pairs."""

    count: int
    pairs: Sequence[EntryPair]


def find_entries(baseline: Baseline, text: str) -> QuerySet[BaselineEntry]:
    """Return the entries of the current version whose story's title or id has ``text``."""
    rows = BaselineEntry.objects.filter(baseline=baseline, to_version=None).select_related("image")
    return rows.filter(Q(title__icontains=text) | Q(story_id__icontains=text))


def differences_of(baseline: Baseline, version: int) -> VersionDifference:
    """Compare the version with the current one; raises NotFoundError for a missing version."""
    if not baseline.versions.filter(sequence=version).exists():
        raise NotFoundError(f"This baseline has no version {version}.")
    rows = BaselineEntry.objects.filter(baseline=baseline)
    then = _by_variant(rows.filter(from_version__lte=version, to_version__gt=version))
    now = _by_variant(rows.filter(from_version__gt=version, to_version=None))
    keys = sorted(key for key in {*then, *now} if _image(now.get(key)) != _image(then.get(key)))
    shown = {key: (now.get(key), then.get(key)) for key in keys[:MOST_SHOWN]}
    ids = [entry[0] for pair in shown.values() for entry in pair if entry]
    found = rows.select_related("image").in_bulk(ids)
    pairs = [
        EntryPair(key, *(found[entry[0]] if entry else None for entry in pair))
        for key, pair in shown.items()
    ]
    return VersionDifference(len(keys), pairs)


def _by_variant(rows: QuerySet[BaselineEntry]) -> dict[VariantKey, tuple[int, int]]:
    """Return the id and the image's id of each entry."""
    columns = rows.values_list("story_id", "theme", "device", "pk", "image")
    return {VariantKey(*each[:3]): (each[3], each[4]) for each in columns}


def _image(entry: tuple[int, int] | None) -> int | None:
    return entry[1] if entry else None
