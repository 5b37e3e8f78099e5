"""Prints whole lines, whatever reads them."""

from typing import Final

from rich.console import Console

from visual_review.client.terminal import printable

# Wide enough that no line is wrapped where no terminal sets the width.
UNBOUNDED_WIDTH: Final = 10_000


def make_console(*, stderr: bool = False) -> Console:
    """Return a console without automatic highlighting that wraps lines only on a terminal."""
    console = Console(stderr=stderr, highlight=False)
    if not console.is_terminal:
        console.width = UNBOUNDED_WIDTH
    return console


def print_line(console: Console, text: str) -> None:
    """Print one line of text from any source, without its control characters."""
    console.print(printable(text), markup=False, highlight=False, soft_wrap=True)
