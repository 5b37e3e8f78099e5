"""Any bytes are a playable video, or are refused with a reason; only a few of them are read."""

import io
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from tests.support.videos import Recipe, playwright_video, truncate, video
from visual_review.recordings.video_header import (
    VideoHeader,
    VideoRefusedError,
    read_video_header,
)

PLAYABLE = (
    (Recipe(), VideoHeader(".webm", 64, 48, 2000)),
    (Recipe(codec="libvpx-vp9", sound="libopus"), VideoHeader(".webm", 64, 48, 2000)),
    (Recipe(form="mp4", codec="libx264", sound="aac"), VideoHeader(".mp4", 64, 48, 2000)),
    (Recipe(form="mp4", codec="libvpx-vp9"), VideoHeader(".mp4", 64, 48, 2000)),
)
REFUSED = (
    (b"", "empty"),
    (b"\x00\x00\x00\x18", "neither WebM nor MP4"),
    (video(form="avi", codec="mpeg4"), "ffmpeg -i"),
    (video(form="matroska", codec="libx264"), "MKV"),
    (video(form="mp4", codec="mpeg4"), "mp4v"),
    (video(form="mp4", codec="libx264", pixels="yuv444p"), "profile 244"),
    (truncate(video()), "truncated"),
    (truncate(video(form="mp4", codec="libx264")), "truncated"),
    (playwright_video(times=[]), "0 seconds"),
    (b"\x1a\x45\xdf\xa3\x80", "truncated"),
    (b"\x00\x00\x00\x08ftyp\x00\x00\x00\x08mdat", "no index"),
    (b"\x00\x00\x00\x08ftyp\x00\x00\x00\x08moov", "no video"),
)


def read(data: bytes) -> VideoHeader:
    return read_video_header(io.BytesIO(data))


def test_what_browsers_play_is_described(case: Case) -> None:
    for recipe, header in PLAYABLE:
        with case(f"{recipe.form} {recipe.codec}"):
            found = read(video(recipe))
            assert found.duration_ms == pytest.approx(header.duration_ms, abs=50)
            assert (found.suffix, found.width, found.height) == (header.suffix, 64, 48)


def test_a_recording_that_was_never_gone_back_to_has_no_duration() -> None:
    assert read(playwright_video()) == VideoHeader(".webm", 64, 48, None)
    fragments = {"movflags": "frag_keyframe+empty_moov"}
    data = video(form="mp4", codec="libx264", options=fragments)
    assert read(data) == VideoHeader(".mp4", 64, 48, None)


def test_everything_else_is_refused_with_the_reason(case: Case) -> None:
    for data, reason in REFUSED:
        with case(reason), pytest.raises(VideoRefusedError, match=reason):
            read(data)


def test_a_file_of_nothing_but_small_elements_is_refused_soon() -> None:
    started = time.monotonic()
    boxes = b"\x00\x00\x00\x08free" * 2_000_000
    with pytest.raises(VideoRefusedError, match="too many elements"):
        read(boxes)
    assert time.monotonic() - started < 5


class CountingFile(io.BytesIO):
    """Counts the read bytes."""

    total = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.total += len(data)
        return data


def check(data: bytes) -> None:
    file = CountingFile(data)
    with suppress(VideoRefusedError):
        read_video_header(file)
    assert file.total <= 64 * (len(data) + 16)


@given(st.sampled_from([b"", b"\x1a\x45\xdf\xa3", b"\x00\x00\x00\x08ftyp"]), st.binary())
def test_any_bytes_end_in_a_header_or_the_refusal(start: bytes, rest: bytes) -> None:
    check(start + rest)


@given(
    st.sampled_from([video(recipe) for recipe, _ in PLAYABLE] + [playwright_video()]),
    st.lists(st.tuples(st.integers(0, 1023), st.integers(0, 255)), max_size=8),
    st.integers(0, 4096),
)
def test_any_damage_ends_in_a_header_or_the_refusal(
    data: bytes, changes: list[tuple[int, int]], length: int
) -> None:
    damaged = bytearray(data)
    for position, value in changes:
        damaged[position % len(damaged)] = value
        # The index of an MP4 is at the end.
        damaged[-1 - position % len(damaged)] = value
    check(bytes(damaged))
    check(bytes(damaged[:length]))
