"""Selects the videos to upload and their attachments; reads only the sizes of files."""

from dataclasses import replace
from typing import Final

from visual_review.client.recordings.found_videos import Attachment, FoundVideos, Video

MEGABYTE: Final = 1024 * 1024


def select_videos(found: FoundVideos, *, only_failed: bool, largest: int) -> FoundVideos:
    """Select the videos, or only failed ones, with attachments of up to ``largest`` bytes.

    0 selects no attachments.
    """
    selection = FoundVideos(notes=list(found.notes))
    for video in found.videos:
        # A video without a report may show a failed test.
        if only_failed and video.is_harmless:
            continue
        selection.videos.append(_drop_large_attachments(video, largest, selection.notes))
    return selection


def _drop_large_attachments(video: Video, largest: int, notes: list[str]) -> Video:
    kept: list[Attachment] = []
    for each in video.attachments:
        if each.path.stat().st_size <= largest:
            kept.append(each)
        elif largest:
            notes.append(f"{video.title}: {each.path.name} is skipped because it is too large.")
    return replace(video, attachments=tuple(kept))
