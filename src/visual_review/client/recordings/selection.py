"""Which of the videos found are sent, and with what; pure but for the sizes of files."""

from dataclasses import replace
from typing import Final

from visual_review.client.recordings.found_videos import Attached, Finding, Video

MEGABYTE: Final = 1024 * 1024


def selected(finding: Finding, *, only_failed: bool, largest: int) -> Finding:
    """Without what went well if so wished, and without attachments above ``largest`` bytes.

    0 leaves out all attachments.
    """
    chosen = Finding(notes=list(finding.notes))
    for video in finding.videos:
        # What no report tells about may have failed.
        if only_failed and video.went_well:
            continue
        chosen.videos.append(_without_large(video, largest, chosen.notes))
    return chosen


def _without_large(video: Video, largest: int, notes: list[str]) -> Video:
    kept: list[Attached] = []
    for each in video.attachments:
        if each.path.stat().st_size <= largest:
            kept.append(each)
        elif largest:
            notes.append(f"{video.title}: {each.path.name} is left out, as it is too large.")
    return replace(video, attachments=tuple(kept))
