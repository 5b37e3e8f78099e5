"""Headings of groups on a build's page: what changed alike, and what differs in its family."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Count, Q

from visual_review.builds.models import Build, ChangeGroup, Screenshot
from visual_review.builds.queries import groups_of
from visual_review.builds.states import REJECTED

SHOWN_OUTLIERS: Final = 5


@dataclass(frozen=True)
class GroupHeading:
    """A group of several screenshots; ``outliers`` are the first of those that differ."""

    row: ChangeGroup
    undecided: int
    rejected: int
    outliers: Sequence[Screenshot]

    @property
    def differing(self) -> int:
        return len(self.row.outliers)

    @property
    def more_outliers(self) -> int:
        return self.differing - len(self.outliers)


def load_headings(build: Build, group_ids: Collection[str]) -> dict[str, GroupHeading]:
    """Return the headings by group id; a screenshot alone needs none."""
    rows = list(
        groups_of(build)
        .filter(Q(screenshot_count__gt=1) | ~Q(outliers=[]), pk__in=group_ids)
        .annotate(
            undecided=Count("screenshots", filter=Q(screenshots__review_decision="")),
            rejected=Count("screenshots", filter=Q(screenshots__review_decision=REJECTED)),
        )
    )
    shown = {pk for row in rows for pk in row.outliers[:SHOWN_OUTLIERS]}
    outliers = Screenshot.objects.filter(build=build).in_bulk(list(shown))
    return {
        row.pk: GroupHeading(
            row,
            vars(row)["undecided"],
            vars(row)["rejected"],
            [outliers[pk] for pk in row.outliers[:SHOWN_OUTLIERS] if pk in outliers],
        )
        for row in rows
    }
