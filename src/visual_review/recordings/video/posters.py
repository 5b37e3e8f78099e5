"""The picture a recording is shown by in lists: near the start, but not a blank page."""

from statistics import pstdev
from typing import Any, Final

from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from PIL.Image import Image

from visual_review.recordings.video.errors import VideoRefusedError
from visual_review.recordings.video.streams import decoded

SECONDS: Final = 10.0
MOST_FRAMES: Final = 250
SMALL: Final = (64, 36)
# Grey levels, 0 to 255: an empty page has none, one line of text some three.
LIVELY: Final = 3.0
LONGEST_SIDE: Final = 960


def poster_of(source: InputContainer, stream: VideoStream) -> Image:
    """The first lively picture of the first seconds, else the liveliest of them.

    Raises VideoRefusedError when none can be read.
    """
    best, most = None, -1.0
    last = (stream.start_time or 0) + SECONDS / (stream.time_base or 1)
    for number, frame in enumerate(_frames(source, stream)):
        found = _liveliness(frame)
        if found > most:
            best, most = frame, found
        if most >= LIVELY or number >= MOST_FRAMES or (frame.pts or 0) > last:
            break
    if best is None:
        raise VideoRefusedError("No picture of the video can be read: it has none, or is damaged.")
    picture: Image = best.to_image()
    picture.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    return picture


def _frames(source: InputContainer, stream: VideoStream) -> Any:  # noqa: ANN401 - A generator of frames.
    for packet in source.demux(stream):
        yield from decoded(stream, packet)
    yield from decoded(stream, None)


def _liveliness(frame: VideoFrame) -> float:
    small = frame.reformat(*SMALL, "gray")
    return pstdev(small.to_ndarray().tobytes())
