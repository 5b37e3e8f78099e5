"""Videos of all kinds: copied or converted, rejected with a reason, always within the limits."""

import io
import os
import subprocess
import sys
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import av
import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from tests.support.case import Case
from tests.support.depth import rounds
from tests.support.videos import playwright_video, still_video, truncate, video
from visual_review.recordings.conversion import conversion_limits, convert_in_child
from visual_review.recordings.video.completeness import check_complete
from visual_review.recordings.video.containers import detect_container
from visual_review.recordings.video.conversion import convert
from visual_review.recordings.video.errors import ConversionInterruptedError, VideoRefusedError
from visual_review.recordings.video.outcome import Converted, Limits

TYPES = frozenset({"webm", "mp4", "m4v", "mov", "mkv"})
LIMITS = conversion_limits(1_000_000, tuple(TYPES))
WAIT_SECONDS = 60


def converted(folder: Path, data: bytes) -> Converted:
    source = folder / "original"
    source.write_bytes(data)
    return convert(source, folder, TYPES)


def times_of(path: Path) -> list[float]:
    with av.open(str(path)) as opened:
        return [
            float(packet.pts * packet.time_base) for packet in opened.demux(video=0) if packet.size
        ]


def codecs_of(path: Path) -> list[str]:
    with av.open(str(path)) as opened:
        return [stream.codec_context.name for stream in opened.streams]


FRAGMENTED = {"movflags": "frag_keyframe+empty_moov"}
CODECS_AFTER: dict[str, tuple[dict[str, object], list[str]]] = {
    "vp8": ({}, ["vp8"]),
    "vp9": ({"codec": "libvpx-vp9", "sound": "libopus"}, ["vp9", "opus"]),
    "mp4": ({"form": "mp4", "codec": "libx264", "sound": "aac"}, ["h264", "aac"]),
    "h264 opus": (
        {"form": "matroska", "codec": "libx264", "sound": "libopus"},
        ["h264", "aac"],
    ),
    "vp8 aac": ({"form": "matroska", "codec": "libvpx", "sound": "aac"}, ["vp8", "opus"]),
    "mpeg-4": ({"form": "mov", "codec": "mpeg4", "sound": "aac"}, ["vp9", "opus"]),
    "4:4:4": ({"form": "mp4", "codec": "libx264", "pixels": "yuv444p"}, ["vp9"]),
    "fragmented": ({"form": "mp4", "codec": "libx264", "options": FRAGMENTED}, ["h264"]),
}


def test_what_browsers_play_is_copied_and_the_rest_converted(case: Case, tmp_path: Path) -> None:
    for number, (name, (facts, codecs)) in enumerate(CODECS_AFTER.items()):
        with case(name):
            folder = tmp_path / str(number)
            folder.mkdir()
            result = converted(folder, video(**facts))
            assert codecs_of(folder / result.video) == codecs
            assert result.duration_ms == pytest.approx(2000, abs=60)
            assert len(times_of(folder / result.video)) == 20


@pytest.mark.parametrize("form", ["webm", "mov"], ids=["copied", "converted"])
def test_a_variable_frame_rate_is_kept_and_starts_at_zero(tmp_path: Path, form: str) -> None:
    times = [0, 0.1, 0.15, 1.7, 1.71, 5]
    codec = {"webm": "libvpx", "mov": "mpeg4"}[form]
    data = video(form=form, codec=codec, times=[time + 30 for time in times])
    result = converted(tmp_path, data)
    assert times_of(tmp_path / result.video) == pytest.approx(times, abs=0.002)


def test_odd_sides_become_even_when_a_video_is_converted(tmp_path: Path) -> None:
    result = converted(tmp_path, video(form="mov", codec="mpeg4", width=63, height=47))
    assert (result.width, result.height) == (64, 48)


def test_a_long_video_takes_no_longer_than_its_frames(tmp_path: Path) -> None:
    result = converted(tmp_path, playwright_video(times=[0, 3600, 7200, 14_400]))
    assert result.duration_ms // 1000 == 14_400


def test_the_poster_is_not_blank(tmp_path: Path) -> None:
    result = converted(tmp_path, video(blank=7))
    poster = Image.open(tmp_path / result.poster).convert("L")
    low, high = poster.getextrema()
    assert isinstance(low, int)
    assert isinstance(high, int)
    assert high - low > 50


def broken_files() -> dict[str, tuple[bytes, str]]:
    faststart = {"movflags": "faststart"}
    return {
        "empty": (b"", "empty"),
        "truncated webm": (truncate(video()), "is truncated"),
        "truncated live": (truncate(playwright_video()), "is truncated"),
        "truncated mp4": (truncate(video(form="mp4", codec="libx264")), "is truncated"),
        "truncated faststart": (
            truncate(video(form="mp4", codec="libx264", options=faststart)),
            "is truncated",
        ),
        "0 seconds": (video(times=[]), "0 seconds"),
        "png": (b"\x89PNG\r\n\x1a\n" + bytes(50), "PNG image"),
        "playlist": (b"#EXTM3U\nfile:///etc/passwd\n", "a playlist"),
        "avi": (video(form="avi", codec="mpeg4"), "AVI"),
        "html": (b"<html>", "text"),
    }


def test_broken_files_are_rejected_with_a_reason(case: Case, tmp_path: Path) -> None:
    for name, (data, reason) in broken_files().items():
        folder = tmp_path / name
        folder.mkdir()
        with case(name), pytest.raises(VideoRefusedError, match=reason):
            converted(folder, data)


def test_a_type_that_the_server_does_not_accept_is_rejected_by_content() -> None:
    with pytest.raises(VideoRefusedError, match="configured to reject"):
        detect_container(video()[:16], frozenset({"mp4"}))


def whole_videos() -> dict[str, bytes]:
    return {
        "webm": video(sound="libopus"),
        "mp4": video(form="mp4", codec="libx264", sound="aac"),
        "live": playwright_video(),
    }


@settings(max_examples=rounds(20, 40))
@given(st.sampled_from(["webm", "mp4", "live"]), st.data())
def test_a_truncated_file_is_detected_unless_it_ends_between_frames(
    name: str, data: st.DataObject
) -> None:
    whole = whole_videos()[name]
    length = data.draw(st.integers(16, len(whole)))
    container = detect_container(whole[:16], TYPES)
    try:
        check_complete(io.BytesIO(whole[:length]), container)
    except VideoRefusedError:
        assert length < len(whole)
    else:
        # A recorder that cannot seek does not write how much should follow.
        assert length == len(whole) or name == "live"


def test_a_header_without_anything_after_it_is_truncated() -> None:
    whole = video()
    header = whole[: whole.index(b"\x18\x53\x80\x67")]
    with pytest.raises(VideoRefusedError, match="truncated"):
        check_complete(io.BytesIO(header), detect_container(whole[:16], TYPES))


@settings(max_examples=rounds(25, 60))
@given(st.binary(max_size=200), st.sampled_from([b"\x1a\x45\xdf\xa3", b"\0\0\0\x18ftyp", b""]))
def test_arbitrary_bytes_are_accepted_or_rejected_with_a_sentence(data: bytes, head: bytes) -> None:
    try:
        check_complete(io.BytesIO(head + data), detect_container((head + data)[:16], TYPES))
    except VideoRefusedError as error:
        message = str(error)
    else:
        message = "Nothing is wrong."
    assert message.endswith(".")


def in_child(folder: Path, data: bytes, limits: Limits = LIMITS, seconds: float = 60) -> Converted:
    source = folder / "original"
    source.write_bytes(data)
    return convert_in_child(source, folder, limits, seconds)


def test_memory_is_limited(tmp_path: Path) -> None:
    limits = replace(LIMITS, memory=450 * 1024 * 1024)
    with pytest.raises(VideoRefusedError, match="more memory"):
        in_child(tmp_path, still_video(4096, 4096, frames=2), limits)


def test_cpu_time_is_limited(tmp_path: Path) -> None:
    with pytest.raises(VideoRefusedError, match="too long"):
        in_child(tmp_path, still_video(1920, 1080, frames=600), replace(LIMITS, seconds=1))


def test_waiting_time_is_limited(tmp_path: Path) -> None:
    with pytest.raises(VideoRefusedError, match="too long"):
        in_child(tmp_path, video(), LIMITS, seconds=0.001)


def test_the_size_of_the_output_is_limited(tmp_path: Path) -> None:
    with pytest.raises(VideoRefusedError, match="may write"):
        in_child(tmp_path, video(), replace(LIMITS, file_size=3000))


def test_a_killed_child_may_be_retried(tmp_path: Path) -> None:
    with killing_children(), pytest.raises(ConversionInterruptedError):
        in_child(tmp_path, video())


def test_a_conversion_ends_when_its_worker_is_killed(tmp_path: Path) -> None:
    source = tmp_path / "original"
    # Nothing is written to it, so the child would read forever.
    os.mkfifo(source)
    code = (
        "from pathlib import Path\n"
        "from visual_review.recordings.conversion import convert_in_child, conversion_limits\n"
        f"convert_in_child(Path({str(source)!r}), Path({str(tmp_path)!r}),"
        " conversion_limits(10**6, ('mov',)))\n"
    )
    with subprocess.Popen([sys.executable, "-c", code]) as worker:
        try:
            child = wait_for_child(worker.pid)
        finally:
            worker.kill()
    deadline = time.monotonic() + WAIT_SECONDS
    while runs(child) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not runs(child)


def runs(process: psutil.Process) -> bool:
    """Return whether it is running; an ended process may stay as a zombie."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def wait_for_child(parent: int, known: Collection[psutil.Process] = ()) -> psutil.Process:
    """Wait for a child of the process that is not in ``known``."""
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline:
        for child in psutil.Process(parent).children():
            if child not in known:
                return child
        time.sleep(0.01)
    raise AssertionError("no child was started")


@contextmanager
def killing_children() -> Iterator[None]:
    """Kill the first child that this process starts in the meantime.

    It may have others already, such as the database of all tests.
    """
    known = psutil.Process().children()
    killer = threading.Thread(target=lambda: wait_for_child(os.getpid(), known).kill())
    killer.start()
    try:
        yield
    finally:
        killer.join()
