"""Which parts and attachments of a recording did not arrive, and where to send them."""

from dataclasses import dataclass

from visual_review.kernel.blobs import BlobStore
from visual_review.recordings.keys import incoming_folder, part_name
from visual_review.recordings.models import Attachment, Recording
from visual_review.recordings.parts import Part, parts_of
from visual_review.recordings.states import UPLOADING

# A slow line needs long for many parts; announcing again gives new addresses.
LINK_SECONDS = 60 * 60


@dataclass(frozen=True)
class Missing:
    """What is still to be sent; nothing once the upload was finished."""

    parts: tuple[Part, ...]
    attachments: tuple[Attachment, ...]

    def __bool__(self) -> bool:
        return bool(self.parts or self.attachments)


def missing_of(recording: Recording, blobs: BlobStore) -> Missing:
    """What the storage does not hold in the announced size."""
    if recording.status != UPLOADING:
        return Missing((), ())
    folder = folder_of(recording)
    # Sizes too: a storage far away takes whatever is sent to it.
    there = blobs.sizes(folder)
    parts = parts_of(recording.size, recording.part_size)
    return Missing(
        tuple(part for part in parts if there.get(part_key(recording, part)) != part.size),
        tuple(
            each
            for each in recording.attachments.order_by("id")
            if there.get(attachment_key(recording, each)) != each.size
        ),
    )


def folder_of(recording: Recording) -> str:
    return incoming_folder(recording.repository.organization_id, recording.id)


def part_key(recording: Recording, part: Part) -> str:
    return f"{folder_of(recording)}/{part_name(part.number)}"


def attachment_key(recording: Recording, attachment: Attachment) -> str:
    return f"{folder_of(recording)}/{attachment.id}"
