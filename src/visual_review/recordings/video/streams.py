"""Transfers streams from one container to another: copied packet by packet, or converted."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Final, Protocol

import av
from av.audio.resampler import AudioResampler
from av.audio.stream import AudioStream
from av.container import OutputContainer
from av.filter import Graph
from av.packet import Packet
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from visual_review.recordings.video.budgets import MOST_PIXELS, pixels_of_frame, too_much_work
from visual_review.recordings.video.plans import OutputFormat, round_up_to_even

MILLISECONDS: Final = Fraction(1, 1000)
USUAL_RATE: Final = 25
LOWEST_RATE: Final = 10
HIGHEST_RATE: Final = 120
AUDIO_RATE: Final = 48_000
AUDIO_FRAME: Final = {"libopus": 960, "aac": 1024}
AUDIO_CODECS: Final[dict[OutputFormat, str]] = {"webm": "libopus", "mp4": "aac"}
# Speed matters more than size: a worker converts many, and screens always compress well.
VIDEO_OPTIONS: Final = {
    "deadline": "realtime",
    "cpu-used": "8",
    "row-mt": "1",
    "crf": "32",
    "b": "0",
    # To seek, a browser decodes from the last key frame before the target.
    "g": "100",
}


class Track(Protocol):
    """The output of one stream, which takes its packets."""

    def take(self, packet: "Packet[Any]") -> None: ...

    def end(self) -> None: ...


class CopiedTrack:
    """Copies packets unchanged, with times that begin at zero."""

    def __init__(self, output: OutputContainer, stream: Any, start: Fraction) -> None:  # noqa: ANN401 - Of any kind.
        self.output = output
        self.stream = output.add_stream_from_template(stream)
        self.offset = round(start / stream.time_base)

    def take(self, packet: "Packet[Any]") -> None:
        if packet.pts is None or not packet.size:
            return
        packet.pts -= self.offset
        packet.dts = packet.pts if packet.dts is None else packet.dts - self.offset
        packet.stream = self.stream
        self.output.mux(packet)

    def end(self) -> None:
        pass


class ConvertedVideoTrack:
    """Encodes frames again, each at its own time, so that a variable rate is kept."""

    def __init__(self, output: OutputContainer, source: VideoStream, start: Fraction) -> None:
        self.output, self.source, self.start = output, source, start
        rate = min(max(round(source.average_rate or USUAL_RATE), LOWEST_RATE), HIGHEST_RATE)
        self.stream = output.add_stream("libvpx-vp9", rate=rate, options=VIDEO_OPTIONS)
        self.stream.width = round_up_to_even(source.width)
        self.stream.height = round_up_to_even(source.height)
        self.stream.pix_fmt = "yuv420p"
        self.stream.codec_context.time_base = self.stream.time_base = MILLISECONDS
        self.graph: Graph | None = None
        self.last = -1
        self.pixels_left = MOST_PIXELS

    def take(self, packet: "Packet[Any] | None") -> None:
        for frame in decode_packet(self.source, packet):
            self._count(frame)
            if frame.pts is None:
                continue
            # The last frames have no time base of their own.
            begin = frame.pts * self.source.time_base - self.start
            padded = self._pad(frame)
            # The encoder rejects two frames with the same time.
            padded.pts = max(round(begin * 1000), self.last + 1)
            padded.time_base = MILLISECONDS
            self.last = padded.pts
            self.output.mux(self.stream.encode(padded))

    def end(self) -> None:
        self.take(None)
        if self.last >= 0:
            self.output.mux(self.stream.encode(None))

    def _count(self, frame: VideoFrame) -> None:
        # A packet may hold several frames, and frames may be larger than the container says.
        self.pixels_left -= pixels_of_frame(frame.width, frame.height)
        if self.pixels_left < 0:
            raise too_much_work(frame.width, frame.height)

    def _pad(self, frame: VideoFrame) -> VideoFrame:
        """Return the frame with even sides: padded by a line where needed, never scaled."""
        width, height = self.source.width, self.source.height
        frame = frame.reformat(width, height, "yuv420p")
        if (width, height) == (self.stream.width, self.stream.height):
            return frame
        if self.graph is None:
            self.graph = _padding_graph(frame, self.stream.width, self.stream.height)
        frame.pts, frame.time_base = self.last + 1, MILLISECONDS
        self.graph.push(frame)
        padded = self.graph.pull()
        if not isinstance(padded, VideoFrame):
            raise TypeError("The padding filter did not return a video frame.")
        return padded


class ConvertedAudioTrack:
    """Encodes audio again."""

    def __init__(
        self,
        output: OutputContainer,
        source: AudioStream,
        start: Fraction,
        output_format: OutputFormat,
    ) -> None:
        codec = AUDIO_CODECS[output_format]
        layout = "mono" if source.channels == 1 else "stereo"
        self.output, self.source = output, source
        self.offset = round(start * AUDIO_RATE)
        stream = output.add_stream(codec, rate=AUDIO_RATE, layout=layout)
        if not isinstance(stream, AudioStream):
            raise TypeError("The audio codec did not create an audio stream.")
        self.stream = stream
        format_ = "flt" if codec == "libopus" else "fltp"
        self.resampler = AudioResampler(format_, layout, AUDIO_RATE, AUDIO_FRAME[codec])

    def take(self, packet: "Packet[Any] | None") -> None:
        for frame in decode_packet(self.source, packet):
            self._encode(self.resampler.resample(frame))

    def end(self) -> None:
        self.take(None)
        self._encode(self.resampler.resample(None))
        self.output.mux(self.stream.encode(None))

    def _encode(self, frames: Iterable[Any]) -> None:
        for frame in frames:
            if frame.pts is not None:
                frame.pts -= self.offset
            self.output.mux(self.stream.encode(frame))


def decode_packet(source: Any, packet: "Packet[Any] | None") -> list[Any]:  # noqa: ANN401 - A stream of either kind.
    """Return the packet's frames, or the remaining ones for None; none for a damaged packet."""
    # The decoder takes an empty packet for the end, but some recorders write them in between.
    if packet is not None and not packet.size:
        return []
    try:
        return list(source.decode(packet))
    except av.error.InvalidDataError:
        return []


def _padding_graph(frame: VideoFrame, width: int, height: int) -> Graph:
    graph = Graph()
    graph.link_nodes(
        graph.add_buffer(
            width=frame.width,
            height=frame.height,
            format=frame.format,
            time_base=MILLISECONDS,
        ),
        graph.add("pad", f"{width}:{height}"),
        graph.add("buffersink"),
    ).configure()
    return graph
