"""The missing parts and attachments of a recording, and their upload URLs."""

from dataclasses import dataclass

from visual_review.kernel.blobs import BlobStore
from visual_review.recordings.keys import incoming_folder, part_name
from visual_review.recordings.models import Attachment, Recording
from visual_review.recordings.parts import Part, parts_of
from visual_review.recordings.states import UPLOADING

# A slow connection needs long for many parts; announcing again gives new URLs.
LINK_SECONDS = 60 * 60


@dataclass(frozen=True)
class MissingFiles:
    """The files still to upload; none after the end of the upload."""

    parts: tuple[Part, ...]
    attachments: tuple[Attachment, ...]

    def __bool__(self) -> bool:
        return bool(self.parts or self.attachments)


def missing_of(recording: Recording, blobs: BlobStore) -> MissingFiles:
    """Return the files missing in the storage or stored in another size than announced."""
    if recording.status != UPLOADING:
        return MissingFiles((), ())
    folder = folder_of(recording)
    # Compare sizes too: remote storage accepts any upload.
    stored = dict(blobs.sizes(folder))
    parts = parts_of(recording.size, recording.part_size)
    return MissingFiles(
        tuple(part for part in parts if stored.get(part_key(recording, part)) != part.size),
        tuple(
            each
            for each in recording.attachments.order_by("id")
            if stored.get(attachment_key(recording, each)) != each.size
        ),
    )


def folder_of(recording: Recording) -> str:
    return incoming_folder(recording.repository.organization_id, recording.id)


def part_key(recording: Recording, part: Part) -> str:
    return f"{folder_of(recording)}/{part_name(part.number)}"


def attachment_key(recording: Recording, attachment: Attachment) -> str:
    return f"{folder_of(recording)}/{attachment.id}"
