"""The contents of a repository's list of recordings: filtered, with previews."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from visual_review.kernel.blobs import blob_store
from visual_review.recordings.links import LINK_SECONDS, key_of
from visual_review.recordings.models import Recording
from visual_review.recordings.queries import newest_recordings
from visual_review.recordings.states import READY
from visual_review.repositories.models import Repository
from visual_review.web.durations import format_duration

RECORDINGS_PER_PAGE = 24


@dataclass(frozen=True)
class RecordingCard:
    """A recording with the URL of its video, empty until the video is ready."""

    row: Recording
    video: str
    duration: str


def filter_recordings(repository: Repository, filters: Mapping[str, str]) -> QuerySet[Recording]:
    """Return the recordings matching the cleaned ``filters``, newest first."""
    rows = newest_recordings(repository, filters.get("product"))
    for name in ("outcome", "status"):
        if value := filters.get(name):
            rows = rows.filter(**{name: value})
    for word in filters.get("text", "").split():
        rows = rows.filter(_matches(word))
    return rows


def _matches(word: str) -> Q:
    return (
        Q(title__icontains=word)
        | Q(test__file__icontains=word)
        | Q(branch__icontains=word)
        | Q(project__icontains=word)
    )


def create_cards(rows: Iterable[Recording], organization_id: str) -> list[RecordingCard]:
    """Create the cards of ``rows``; sign the URLs of all videos at once."""
    shown = list(rows)
    ready = [row for row in shown if row.status == READY]
    keys = [key_of(row, organization_id, row.original_name) for row in ready]
    videos = dict(
        zip((row.id for row in ready), blob_store().links(keys, LINK_SECONDS), strict=True)
    )
    return [
        RecordingCard(row, videos.get(row.id, ""), format_duration(row.duration_ms))
        for row in shown
    ]
