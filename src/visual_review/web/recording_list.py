"""What the list of a repository's recordings shows: those that were asked for, with posters."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from visual_review.kernel.blobs import blob_store
from visual_review.recordings.links import LINK_SECONDS, key_of
from visual_review.recordings.models import Recording
from visual_review.recordings.queries import newest_recordings
from visual_review.repositories.models import Repository
from visual_review.web.durations import clock

RECORDINGS_A_PAGE = 24


@dataclass(frozen=True)
class Card:
    """A recording with the address of its poster, empty where there is none."""

    row: Recording
    poster: str
    duration: str


def wanted(repository: Repository, asked: Mapping[str, str]) -> QuerySet[Recording]:
    """The recordings that ``asked`` (the cleaned filters) leaves, newest first."""
    rows = newest_recordings(repository, asked.get("product"))
    for name in ("outcome", "status"):
        if value := asked.get(name):
            rows = rows.filter(**{name: value})
    for word in asked.get("text", "").split():
        rows = rows.filter(_holds(word))
    return rows


def _holds(word: str) -> Q:
    return (
        Q(title__icontains=word)
        | Q(test__file__icontains=word)
        | Q(branch__icontains=word)
        | Q(project__icontains=word)
    )


def cards(rows: Iterable[Recording], organization_id: str) -> list[Card]:
    """With all posters signed at once."""
    shown = list(rows)
    keys = [key_of(row, organization_id, row.poster_name) for row in shown if row.poster_name]
    posters = iter(blob_store().links(keys, LINK_SECONDS))
    return [
        Card(row, next(posters) if row.poster_name else "", clock(row.duration_ms)) for row in shown
    ]
