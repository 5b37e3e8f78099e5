"""Signed, expiring URLs of a recording's files."""

from collections.abc import Iterable
from dataclasses import dataclass

from visual_review.kernel.blobs import blob_store
from visual_review.recordings.keys import stored_attachment_name, stored_folder
from visual_review.recordings.models import Attachment, Recording

# Long enough to watch most recordings; the page and the action create new ones.
LINK_SECONDS = 3600


@dataclass(frozen=True)
class AttachedFile:
    """An attachment; ``url`` is empty where its bytes are not stored."""

    row: Attachment
    url: str


@dataclass(frozen=True)
class Files:
    """URLs of a recording's files, empty for missing files."""

    video: str
    poster: str
    original: str
    attachments: list[AttachedFile]


def key_of(recording: Recording, organization_id: str, name: str) -> str:
    return f"{stored_folder(organization_id, recording.id)}/{name}"


def files_of(recording: Recording) -> Files:
    """Return the URLs of the files; the recording's repository must be loaded."""
    attachments = list(recording.attachments.order_by("name"))
    names = [recording.video_name, recording.poster_name, recording.original_name]
    names += [
        stored_attachment_name(each.id, each.name) if each.stored_at else "" for each in attachments
    ]
    video, poster, original, *attached = _links(recording, names)
    pairs = zip(attachments, attached, strict=True)
    return Files(video, poster, original, [AttachedFile(row, url) for row, url in pairs])


def _links(recording: Recording, names: Iterable[str]) -> list[str]:
    wanted = list(names)
    organization_id = recording.repository.organization_id
    keys = [key_of(recording, organization_id, name) for name in wanted if name]
    links = iter(blob_store().links(keys, LINK_SECONDS))
    return [next(links) if name else "" for name in wanted]
