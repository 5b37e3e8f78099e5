"""What becomes of a video: copied where browsers play it, else converted; pure."""

from dataclasses import dataclass
from typing import Final, Literal

Form = Literal["webm", "mp4"]
WEBM_VIDEO: Final = frozenset({"vp8", "vp9", "av1"})
WEBM_AUDIO: Final = frozenset({"opus", "vorbis"})
MP4_AUDIO: Final = frozenset({"aac", "mp3"})
# Other forms of H.264 (4:4:4, ten bits) play in no browser.
MP4_PIXELS: Final = frozenset({"yuv420p", "yuvj420p"})


@dataclass(frozen=True)
class Plan:
    """The container that is written, and which streams go into it as they are."""

    form: Form
    copies_video: bool
    copies_audio: bool


CONVERTED: Final = Plan("webm", copies_video=False, copies_audio=False)


def plan_of(video: str, pixels: str, audio: str | None) -> Plan:
    """The plan for streams of these codecs, named as FFmpeg names them."""
    if video == "h264" and pixels in MP4_PIXELS:
        return Plan("mp4", copies_video=True, copies_audio=audio in MP4_AUDIO)
    return Plan("webm", copies_video=video in WEBM_VIDEO, copies_audio=audio in WEBM_AUDIO)


def even(length: int) -> int:
    """The side of a picture, made even: its colours have half as many points each way."""
    return length + length % 2
