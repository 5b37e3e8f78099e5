"""URLs of recordings: of their page, and signed, expiring ones of their files."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings

from visual_review.kernel.blobs import blob_store
from visual_review.recordings.blob_keys import stored_attachment_name, stored_folder
from visual_review.recordings.models import Attachment, Recording
from visual_review.recordings.read_models import AttachmentRow
from visual_review.recordings.states import READY

# Long enough to watch most recordings; the page and the action create new ones.
LINK_SECONDS = 3600


def recording_page(recording_id: str) -> str:
    return f"{settings.PUBLIC_URL}/recordings/{recording_id}"


@dataclass(frozen=True)
class AttachedFile:
    """An attachment; ``url`` is empty while its bytes are not stored."""

    row: Attachment | AttachmentRow
    url: str


@dataclass(frozen=True)
class Files:
    """URLs of a recording's files, empty for missing files.

    ``video`` is the original if playable in browsers.
    """

    video: str
    original: str
    attachments: list[AttachedFile]


def key_of(recording: Recording, organization_id: str, name: str) -> str:
    return f"{stored_folder(organization_id, recording.id)}/{name}"


def files_of(recording: Recording) -> Files:
    """Return the URLs of the files; the recording's repository must be loaded."""
    folder = stored_folder(recording.repository.organization_id, recording.id)
    attachments = list(recording.attachments.order_by("name"))
    return link_files(folder, recording.original_name, recording.status, attachments)


def link_files(
    folder: str,
    original_name: str,
    status: str,
    attachments: Sequence[Attachment | AttachmentRow],
) -> Files:
    """Return the URLs of the files in ``folder``, signed at once."""
    attached_names = [
        stored_attachment_name(each.id, each.name) if each.stored_at else "" for each in attachments
    ]
    original, *attached = _links(folder, [original_name, *attached_names])
    pairs = zip(attachments, attached, strict=True)
    video = original if status == READY else ""
    return Files(video, original, [AttachedFile(row, url) for row, url in pairs])


def _links(folder: str, names: list[str]) -> list[str]:
    links = iter(blob_store().links([f"{folder}/{name}" for name in names if name], LINK_SECONDS))
    return [next(links) if name else "" for name in names]
