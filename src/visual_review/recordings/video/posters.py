"""The poster that lists show for a recording: near the start, but not a blank page."""

from statistics import pstdev
from typing import Any, Final

from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from PIL.Image import Image

from visual_review.recordings.video.errors import VideoRefusedError
from visual_review.recordings.video.streams import decode_packet

SECONDS: Final = 10.0
MAX_FRAMES: Final = 250
SAMPLE_SIZE: Final = (64, 36)
# Deviation of gray levels, 0 to 255: an empty page has 0, one line of text about 3.
MIN_CONTRAST: Final = 3.0
LONGEST_SIDE: Final = 960


def pick_poster(source: InputContainer, stream: VideoStream) -> Image:
    """Return the first frame with enough contrast, else the one with most, of the first seconds.

    Raises VideoRefusedError if no frame can be read.
    """
    best, most = None, -1.0
    last = (stream.start_time or 0) + SECONDS / (stream.time_base or 1)
    for number, frame in enumerate(_frames(source, stream)):
        contrast = _contrast(frame)
        if contrast > most:
            best, most = frame, contrast
        if most >= MIN_CONTRAST or number >= MAX_FRAMES or (frame.pts or 0) > last:
            break
    if best is None:
        raise VideoRefusedError(
            "No frame of the video can be read: it has none, or the file is damaged."
        )
    image: Image = best.to_image()
    image.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    return image


def _frames(source: InputContainer, stream: VideoStream) -> Any:  # noqa: ANN401 - A generator of frames.
    for packet in source.demux(stream):
        yield from decode_packet(stream, packet)
    yield from decode_packet(stream, None)


def _contrast(frame: VideoFrame) -> float:
    small = frame.reformat(*SAMPLE_SIZE, "gray")
    return pstdev(small.to_ndarray().tobytes())
