"""Where commands print: whole lines, whatever reads them."""

from typing import Final

from rich.console import Console

from visual_review.client.terminal import printable

# Wide enough that no line is broken where nobody's terminal sets the width.
UNBOUNDED_WIDTH: Final = 10_000


def console(*, stderr: bool = False) -> Console:
    """A console that colours nothing of its own accord, and breaks lines on a terminal only."""
    made = Console(stderr=stderr, highlight=False)
    if not made.is_terminal:
        made.width = UNBOUNDED_WIDTH
    return made


def say(console: Console, text: str) -> None:
    """One line of text that may come from others."""
    console.print(printable(text), markup=False, highlight=False, soft_wrap=True)
