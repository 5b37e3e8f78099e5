"""What the process that converts a video is given, and what it returns.

Apart from the conversion, so that the worker does not load the libraries of its child process.
"""

from dataclasses import dataclass
from typing import Final

RESULT: Final = "result.json"


@dataclass(frozen=True)
class Limits:
    """Bytes of memory, seconds of CPU time, bytes per file, and the accepted extensions.

    Of memory and time, a video gets less if it is small or short.
    """

    memory: int
    seconds: int
    file_size: int
    types: list[str]


@dataclass(frozen=True)
class Converted:
    """Names of the files that were written; the video's duration, and its size in pixels."""

    video: str
    poster: str
    duration_ms: int
    width: int
    height: int
