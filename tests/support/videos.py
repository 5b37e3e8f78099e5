"""Tiny videos for tests, each encoded once, with one thread and the fastest settings."""

import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from pathlib import Path

import av
import numpy as np
from av.video.frame import VideoFrame
from numpy.typing import NDArray

RATE = 10
SOUND_RATE = 48_000
# Written without going back, as a recorder does.
LIVE = {"live": "1"}
_ENCODED: dict[str, bytes] = {}


@dataclass(frozen=True)
class Recipe:
    """``times`` are seconds; a frame at each, the first ``blank`` ones white."""

    form: str = "webm"
    codec: str = "libvpx"
    width: int = 64
    height: int = 48
    times: Sequence[float] = field(default_factory=lambda: [number / RATE for number in range(20)])
    sound: str | None = None
    pixels: str = "yuv420p"
    blank: int = 0
    options: dict[str, str] = field(default_factory=dict)


def video(recipe: Recipe | None = None, **facts: object) -> bytes:
    """Return a video encoded by the recipe, or by a recipe with the given fields."""
    made = recipe or Recipe(**facts)  # type: ignore[arg-type] - Each fact is of its field's type.
    # Encoding takes longer than most tests of the result.
    key = repr(made)
    if key not in _ENCODED:
        _ENCODED[key] = _file(partial(_write, made))
    return _ENCODED[key]


def _file(write: Callable[[Path], None]) -> bytes:
    # A file by name, because moving the index to the front opens the file a second time.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "video"
        write(path)
        return path.read_bytes()


def _write(made: Recipe, path: Path) -> None:
    with av.open(str(path), "w", format=made.form, options=made.options) as output:
        stream = output.add_stream(made.codec, rate=RATE, options=_hurry(made.codec))
        stream.width, stream.height, stream.pix_fmt = made.width, made.height, made.pixels
        stream.codec_context.thread_count = 1
        stream.codec_context.time_base = Fraction(1, 1000)
        sound = (
            output.add_stream(made.sound, rate=SOUND_RATE, layout="mono") if made.sound else None
        )
        output.start_encoding()
        for frame in _frames(made):
            output.mux(stream.encode(frame))
        output.mux(stream.encode(None))
        if sound is not None:
            for each in _noise(made, sound.codec_context.frame_size or 960, sound.format.name):
                output.mux(sound.encode(each))
            output.mux(sound.encode(None))


def playwright_video(**facts: object) -> bytes:
    """Return a video in the form Playwright records: VP8 in a WebM written in one pass.

    The file has no duration and no cues, and its segment and clusters lack a length.
    """
    return video(Recipe(options=LIVE, **facts))  # type: ignore[arg-type] - As above.


def truncate(data: bytes, share: float = 0.6) -> bytes:
    return data[: int(len(data) * share)]


def picture(number: int, width: int, height: int) -> NDArray[np.uint8]:
    """Return moving stripes, so that each frame differs from the one before."""
    columns = (np.arange(width) * 4 + number * 9).astype(np.uint8)
    rows = (np.arange(height)[:, None] * 2).astype(np.uint8)
    # Sums of bytes begin anew above 255.
    return np.stack([columns + rows * 0, rows + columns * 0, columns + rows], axis=2)


def _frames(made: Recipe) -> Iterable[VideoFrame]:
    for number, time in enumerate(made.times):
        values = picture(number, made.width, made.height)
        if number < made.blank:
            values = np.full_like(values, 255)
        frame = VideoFrame.from_ndarray(values, format="rgb24").reformat(format=made.pixels)
        frame.pts, frame.time_base = round(time * 1000), Fraction(1, 1000)
        yield frame


def _noise(made: Recipe, samples: int, format_: str) -> Iterable[av.AudioFrame]:
    seconds = made.times[-1] - made.times[0] + 1 / RATE
    dtype = np.int16 if format_.startswith("s16") else np.float32
    for number in range(int(seconds * SOUND_RATE / samples)):
        values = np.zeros((1, samples), dtype)
        frame = av.AudioFrame.from_ndarray(values, format=format_, layout="mono")
        frame.sample_rate, frame.pts = SOUND_RATE, number * samples
        frame.time_base = Fraction(1, SOUND_RATE)
        yield frame


def _hurry(codec: str) -> dict[str, str]:
    if codec.startswith("libvpx"):
        return {"deadline": "realtime", "cpu-used": "8", "b": "200k"}
    return {"preset": "ultrafast"} if codec == "libx264" else {}
