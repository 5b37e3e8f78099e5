"""Converts a file recorded in CI to a video that browsers can play and seek, and a poster."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any, Final

import av
from av.audio.stream import AudioStream
from av.container import InputContainer, OutputContainer
from av.video.stream import VideoStream

from visual_review.recordings.video.budgets import (
    Budget,
    VideoWork,
    most_frames,
    too_much_work,
)
from visual_review.recordings.video.completeness import check_complete
from visual_review.recordings.video.containers import HEAD_BYTES, Container, detect_container
from visual_review.recordings.video.errors import VideoRefusedError
from visual_review.recordings.video.outcome import Converted
from visual_review.recordings.video.plans import CONVERTED, Plan, choose_plan
from visual_review.recordings.video.posters import pick_poster
from visual_review.recordings.video.streams import (
    ConvertedAudioTrack,
    ConvertedVideoTrack,
    CopiedTrack,
    Track,
)

MICROSECONDS: Final = 1_000_000
LONGEST_SECONDS: Final = 24 * 60 * 60
LONGEST_SIDE: Final = 8192
POSTER: Final = "poster.jpg"
POSTER_QUALITY: Final = 82
NO_DURATION: Final = "The video is 0 seconds long: it has at most one frame."
# The index comes before the frames, so that a browser can seek after one request.
OPTIONS: Final = {"webm": {"cues_to_front": "1"}, "mp4": {"movflags": "faststart"}}


def ignore_budget(_budget: Budget) -> None:
    """Stand in for setting limits where the process has none."""


def convert(
    source: Path,
    folder: Path,
    types: frozenset[str],
    set_budget: Callable[[Budget], None] = ignore_budget,
) -> Converted:
    """Write the video and its poster into ``folder``.

    ``set_budget`` is called with what each step may take, once that is known. Raises
    VideoRefusedError, or an error of the library for damaged content.
    """
    with source.open("rb") as file:
        container = detect_container(file.read(HEAD_BYTES), types)
        check_complete(file, container)
    with _open(source, container) as opened:
        stream = _video_of(opened)
        set_budget(VideoWork(source.stat().st_size, stream.width, stream.height).budget)
        pick_poster(opened, stream).save(folder / POSTER, "JPEG", quality=POSTER_QUALITY)
    return _probe(_write(source, container, folder, set_budget))


def _open(source: Path, container: Container) -> InputContainer:
    # The format is fixed and nothing but this file is read, whatever the file refers to.
    try:
        return av.open(
            str(source),
            format=container,
            container_options={"protocol_whitelist": "file"},
            # Metadata may be in any encoding; it is not used.
            metadata_errors="replace",
        )
    except EOFError as error:
        raise VideoRefusedError(NO_DURATION) from error


def _video_of(opened: InputContainer) -> VideoStream:
    # Images that belong to audio, such as covers, are not a video.
    covers = av.stream.Disposition.attached_pic
    found = [each for each in opened.streams.video if not each.disposition & covers]
    if not found:
        raise VideoRefusedError("The file contains no video.")
    stream = found[0]
    if stream.codec_context is None:
        raise VideoRefusedError("The video's codec is not supported.")
    if not (0 < stream.width <= LONGEST_SIDE and 0 < stream.height <= LONGEST_SIDE):
        raise VideoRefusedError(
            f"The video is {stream.width} x {stream.height}; each side must have 1 to "
            f"{LONGEST_SIDE} pixels."
        )
    stream.codec_context.thread_count = 1
    return stream


def _write(
    source: Path, container: Container, folder: Path, set_budget: Callable[[Budget], None]
) -> Path:
    with _open(source, container) as opened:
        video = _video_of(opened)
        context = video.codec_context
        names = [_codec_name(each.codec_context.name) for each in _audio_of(opened)]
        plan = choose_plan(
            context.codec.canonical_name, context.pix_fmt or "", names[0] if names else None
        )
    set_budget(_work(source, container, plan).budget)
    try:
        return _transfer(source, container, folder, plan)
    except av.error.FFmpegError as error:
        if isinstance(error, MemoryError) or not plan.copies_video or not _may_convert(error):
            raise
    # Streams may break rules that players tolerate and containers do not.
    set_budget(_work(source, container, CONVERTED).budget)
    return _transfer(source, container, folder, CONVERTED)


def _work(source: Path, container: Container, plan: Plan) -> VideoWork:
    """Count what must be converted, by packets: containers may lie about frames and duration.

    Raises VideoRefusedError if it is too much.
    """
    with _open(source, container) as opened:
        video = _video_of(opened)
        most = most_frames(video.width, video.height)
        converted: list[Any] = [] if plan.copies_video else [video]
        if not plan.copies_audio:
            converted += _audio_of(opened)
        counts = Counter[int]()
        for packet in opened.demux(converted) if converted else ():
            counts[packet.stream_index] += 1
            if counts[video.index] > most:
                raise too_much_work(video.width, video.height)
        frames = counts.pop(video.index, 0)
        size = source.stat().st_size
        return VideoWork(size, video.width, video.height, frames, counts.total())


def _audio_of(opened: InputContainer) -> list[AudioStream]:
    """Return the first audio stream that can be read, or none."""
    readable = (each for each in opened.streams.audio if each.codec_context is not None)
    return list(islice(readable, 1))


def _codec_name(codec: str) -> str:
    # FFmpeg has two decoders for some codecs.
    return {"libopus": "opus", "libvorbis": "vorbis", "mp3float": "mp3"}.get(codec, codec)


def _may_convert(error: av.error.FFmpegError) -> bool:
    return isinstance(error, av.error.InvalidDataError | av.error.ArgumentError | ValueError)


def _transfer(source: Path, container: Container, folder: Path, plan: Plan) -> Path:
    target = folder / f"video.{plan.output_format}"
    with (
        _open(source, container) as opened,
        av.open(
            str(target), "w", format=plan.output_format, options=OPTIONS[plan.output_format]
        ) as output,
    ):
        tracks = _tracks(opened, output, plan)
        for packet in opened.demux([opened.streams[index] for index in tracks]):
            tracks[packet.stream_index].take(packet)
        for track in tracks.values():
            track.end()
    return target


def _tracks(opened: InputContainer, output: OutputContainer, plan: Plan) -> dict[int, Track]:
    video = _video_of(opened)
    start = Fraction(opened.start_time or 0, MICROSECONDS)
    kind: type[Any] = CopiedTrack if plan.copies_video else ConvertedVideoTrack
    tracks: dict[int, Track] = {video.index: kind(output, video, start)}
    for audio in _audio_of(opened):
        if plan.copies_audio:
            tracks[audio.index] = CopiedTrack(output, audio, start)
        else:
            tracks[audio.index] = ConvertedAudioTrack(output, audio, start, plan.output_format)
    return tracks


def _probe(video: Path) -> Converted:
    """Describe the written video; raises VideoRefusedError if it has no time or over a day."""
    with av.open(str(video)) as opened:
        milliseconds = (opened.duration or 0) * 1000 // MICROSECONDS
        stream = opened.streams.video[0]
        width, height = stream.width, stream.height
    if milliseconds <= 0:
        raise VideoRefusedError(NO_DURATION)
    if milliseconds > LONGEST_SECONDS * 1000:
        raise VideoRefusedError(
            f"The video claims to be {milliseconds // 3_600_000} hours long; the limit is "
            f"{LONGEST_SECONDS // 3600}. Its timestamps are damaged, or it was not finished."
        )
    return Converted(video.name, POSTER, milliseconds, width, height)
