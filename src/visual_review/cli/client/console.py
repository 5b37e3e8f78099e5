"""Prints whole lines for every reader."""

from typing import Final

from rich.console import Console

from visual_review.client.terminal import printable

# Wide enough for every line if no terminal sets the width.
UNBOUNDED_WIDTH: Final = 10_000
CONTINUATION: Final = "    "


def make_console(*, stderr: bool = False) -> Console:
    """Return a console without automatic highlighting; only terminals wrap lines."""
    console = Console(stderr=stderr, highlight=False)
    if not is_interactive(console):
        console.width = UNBOUNDED_WIDTH
    return console


def is_interactive(console: Console) -> bool:
    """Return whether the output is a terminal, where lines can be overwritten.

    Many jobs set FORCE_COLOR, which requests colors in the log, not moves of the cursor.
    """
    return console.file.isatty()


def print_line(console: Console, text: str) -> None:
    """Print one line of text from any source, without control characters."""
    console.print(printable(text), markup=False, highlight=False, soft_wrap=True)


def print_lines(console: Console, text: str) -> None:
    """Print text of several lines, all but the first indented: none looks like one of ours."""
    first, *others = text.splitlines() or [""]
    print_line(console, first)
    for line in others:
        print_line(console, f"{CONTINUATION}{line}")
