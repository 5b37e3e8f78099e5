"""How much CPU time and memory a conversion may take, by the size and length of the video; pure."""

from dataclasses import dataclass
from math import ceil
from typing import Final

from visual_review.recordings.video.errors import VideoRefusedError

MEGABYTE: Final = 1_000_000
# Twenty minutes of 1920 x 1080 at 24 frames a second.
MOST_PIXELS: Final = 60_000_000_000
# However small, a frame takes some time.
SMALLEST_FRAME: Final = 50_000
# At least three times what a slow core was seen to need.
START_SECONDS: Final = 60
PIXELS_PER_SECOND: Final = 10_000_000
AUDIO_PACKETS_PER_SECOND: Final = 200
POSTER_FRAMES: Final = 250
# Libraries reserve more memory than they use. The encoder takes up to 140 bytes for a pixel.
START_MEMORY: Final = 1024 * 1024 * 1024
BYTES_PER_PIXEL: Final = 160


@dataclass(frozen=True)
class Budget:
    """Seconds of CPU time from now on, and bytes of virtual memory."""

    seconds: int
    memory: int


@dataclass(frozen=True)
class VideoWork:
    """What a video consists of; ``frames`` and ``audio_packets`` are those to convert."""

    size: int
    width: int
    height: int
    frames: int = 0
    audio_packets: int = 0

    @property
    def pixels(self) -> int:
        return self.frames * pixels_of_frame(self.width, self.height)

    @property
    def budget(self) -> Budget:
        """What it may take: copying follows the size in bytes, converting the size in pixels."""
        frame = pixels_of_frame(self.width, self.height)
        pixels = self.pixels + POSTER_FRAMES * frame
        seconds = pixels / PIXELS_PER_SECOND + self.audio_packets / AUDIO_PACKETS_PER_SECOND
        memory = START_MEMORY + BYTES_PER_PIXEL * frame
        return Budget(reading_budget(self.size).seconds + ceil(seconds), memory)


def reading_budget(size: int) -> Budget:
    """Return what reading a file of ``size`` bytes may take, whatever is in it."""
    return Budget(START_SECONDS + ceil(size / MEGABYTE), START_MEMORY)


def pixels_of_frame(width: int, height: int) -> int:
    """Return the pixels that a frame counts for."""
    return max(width * height, SMALLEST_FRAME)


def most_frames(width: int, height: int) -> int:
    """Return how many frames of this size are converted at most."""
    return MOST_PIXELS // pixels_of_frame(width, height)


def too_much_work(width: int, height: int) -> VideoRefusedError:
    """Return the error for a video with more than ``most_frames``."""
    return VideoRefusedError(
        f"The video has more than {most_frames(width, height):,} frames of {width} x {height} "
        "pixels, the most that are converted. Record a shorter or smaller video, or WebM (VP8, "
        "VP9, AV1) or MP4 (H.264), which need no conversion."
    )
