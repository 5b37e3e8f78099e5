"""What is rejected before it is uploaded: files that are too large or of other types."""

from django.conf import settings

from visual_review.kernel.errors import InvalidInputError, TooLargeError
from visual_review.recordings.keys import suffix_of
from visual_review.recordings.requests import AnnouncedAttachment, AnnouncedFile
from visual_review.recordings.video_header import CONVERT

MEGABYTE = 1024 * 1024


def check_video(file: AnnouncedFile) -> None:
    """Raise TooLargeError or InvalidInputError for a video that is not accepted."""
    most = settings.RECORDING_MAX_BYTES
    if file.size > most:
        raise TooLargeError(
            f"The video '{file.name}' has {file.size} bytes; the limit is {most}. Record at a "
            "smaller size or a lower frame rate, or increase VISUAL_REVIEW_RECORDING_MAX_MB."
        )
    types = settings.RECORDING_TYPES
    if suffix_of(file.name).removeprefix(".") not in types:
        raise InvalidInputError(
            f"'{file.name}' is not a video that this server accepts; its extension must be one of "
            f"{', '.join(f'.{name}' for name in types)}. {CONVERT}",
            [("/fileName", "has another extension")],
        )


def check_attachments(files: tuple[AnnouncedAttachment, ...]) -> None:
    """Raise TooLargeError for an attachment above the limit."""
    most = settings.ATTACHMENT_MAX_BYTES
    for file in files:
        if file.size > most:
            raise TooLargeError(
                f"The attachment '{file.name}' has {file.size} bytes; the limit is {most}. "
                "Leave it out, or increase VISUAL_REVIEW_ATTACHMENT_MAX_MB."
            )
