"""Standard output and error of the client commands, without commands for CI systems."""

import io
import json
import sys
from typing import Any, TextIO

import typer

from visual_review.client.terminal import LineEscaper, escape_json


class EscapingStream(io.TextIOBase):
    """Writes harmless text for the log of a job to another stream.

    All output passes this stream: our own lines, tables, progress, usage errors and tracebacks.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._escaper = LineEscaper(terminal=stream.isatty())

    def write(self, text: str, /) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() needs a string, not {type(text).__name__}")
        self._stream.write(self._escaper.escape(text))
        return len(text)

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()

    def writable(self) -> bool:
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._stream.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        return self._stream.errors

    @property
    def buffer(self) -> Any:  # noqa: ANN401 - As in io.
        return self._stream.buffer


def escape_output() -> None:
    """Let all further output of this process pass an EscapingStream."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A name that the log's encoding lacks must not end the command.
            stream.reconfigure(errors="backslashreplace")
    sys.stdout, sys.stderr = EscapingStream(sys.stdout), EscapingStream(sys.stderr)


def print_json(document: object) -> None:
    typer.echo(escape_json(json.dumps(document, indent=2)))
