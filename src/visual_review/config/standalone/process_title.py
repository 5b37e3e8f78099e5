"""The command line in ``ps`` of a forked process running another command."""

import ctypes
from collections.abc import Sequence
from pathlib import Path

STATUS = Path("/proc/self/stat")
# Fields 48 and 49 of proc(5); the list begins with the third, after the name in parentheses.
ARGUMENTS_START, ARGUMENTS_END = 48 - 3, 49 - 3


def show_command(arguments: Sequence[str]) -> None:
    """Overwrite the arguments of the process, as far as they have room."""
    fields = STATUS.read_text().rpartition(")")[2].split()
    start, end = int(fields[ARGUMENTS_START]), int(fields[ARGUMENTS_END])
    # If the last byte is not zero, the kernel assumes that the text goes on behind the arguments.
    room = end - start - 1
    if room <= 0:
        return
    text = b"\0".join(argument.encode() for argument in arguments)[:room]
    ctypes.memmove(start, text.ljust(room + 1, b"\0"), room + 1)
