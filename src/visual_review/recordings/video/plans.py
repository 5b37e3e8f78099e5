"""How a video is handled: copied if browsers can play it, else converted; pure."""

from dataclasses import dataclass
from typing import Final, Literal

OutputFormat = Literal["webm", "mp4"]
WEBM_VIDEO: Final = frozenset({"vp8", "vp9", "av1"})
WEBM_AUDIO: Final = frozenset({"opus", "vorbis"})
MP4_AUDIO: Final = frozenset({"aac", "mp3"})
# No browser plays other forms of H.264 (4:4:4, ten bits).
MP4_PIXELS: Final = frozenset({"yuv420p", "yuvj420p"})


@dataclass(frozen=True)
class Plan:
    """The container that is written, and which streams are copied into it."""

    output_format: OutputFormat
    copies_video: bool
    copies_audio: bool


CONVERTED: Final = Plan("webm", copies_video=False, copies_audio=False)


def choose_plan(video: str, pixels: str, audio: str | None) -> Plan:
    """Return the plan for streams with these codecs, named as in FFmpeg."""
    if video == "h264" and pixels in MP4_PIXELS:
        return Plan("mp4", copies_video=True, copies_audio=audio in MP4_AUDIO)
    return Plan("webm", copies_video=video in WEBM_VIDEO, copies_audio=audio in WEBM_AUDIO)


def round_up_to_even(length: int) -> int:
    """Return a frame's side as an even number: chroma has half the resolution."""
    return length + length % 2
