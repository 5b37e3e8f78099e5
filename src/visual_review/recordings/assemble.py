"""Joins the parts of an upload into one file, and checks the file against the announcement."""

import hashlib
from typing import IO, Final

from visual_review.kernel.blobs import BlobMissingError, BlobStore, disk_full_error
from visual_review.recordings.blob_files import FULL, get_to_file
from visual_review.recordings.models import Attachment, Recording
from visual_review.recordings.parts import parts_of
from visual_review.recordings.uploads import attachment_key, part_key

TOO_MUCH: Final = "More bytes were uploaded than the {} that were announced."


class UploadBrokenError(Exception):
    """The uploaded bytes differ from the announced ones; uploading again fixes the recording."""


def assemble(recording: Recording, blobs: BlobStore, target: IO[bytes]) -> None:
    """Write the video to ``target``; raises UploadBrokenError, or StorageFullError."""
    parts = parts_of(recording.size, recording.part_size)
    keys = [part_key(recording, part) for part in parts]
    _join(keys, recording, blobs, target)


def fetch_attachment(attachment: Attachment, blobs: BlobStore, target: IO[bytes]) -> None:
    """Write the attachment to ``target``; raises UploadBrokenError, or StorageFullError."""
    key = attachment_key(attachment.recording, attachment)
    _join([key], attachment, blobs, target)


def _join(
    keys: list[str], announced: Recording | Attachment, blobs: BlobStore, target: IO[bytes]
) -> None:
    digest, left = hashlib.sha256(), announced.size
    try:
        for key in keys:
            for piece in get_to_file(blobs, key, target):
                digest.update(piece)
                left -= len(piece)
                # An S3 URL accepts any number of bytes, even after the end of the upload. The
                # bytes must not fill the disk.
                if left < 0:
                    raise UploadBrokenError(TOO_MUCH.format(announced.size))
        target.flush()
    except BlobMissingError as error:
        raise UploadBrokenError("A part of the upload is missing.") from error
    except OSError as error:
        if error.errno in FULL:
            raise disk_full_error() from error
        raise
    if digest.hexdigest() != announced.sha256:
        raise UploadBrokenError(
            f"The uploaded bytes do not have the announced hash {announced.sha256}: they were "
            "damaged in transit, or the file changed during the upload."
        )
