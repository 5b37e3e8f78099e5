"""Prints whole lines, durations and speeds for every reader."""

from typing import Final

from rich.console import Console
from rich.progress import ProgressColumn, Task
from rich.text import Text

from visual_review.client.terminal import printable

# Wide enough for every line if no terminal sets the width.
UNBOUNDED_WIDTH: Final = 10_000
CONTINUATION: Final = "    "
MINUTE: Final = 60
HOUR: Final = 60 * MINUTE
# Parts per second; above, the fraction says nothing.
FAST: Final = 10.0


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


def format_duration(seconds: float) -> str:
    """Return ``43 s``, ``2 min 5 s`` or ``1 h 2 min``."""
    whole = round(seconds)
    if whole < MINUTE:
        return f"{whole} s"
    if whole < HOUR:
        return f"{whole // MINUTE} min {whole % MINUTE} s"
    return f"{whole // HOUR} h {whole % HOUR // MINUTE} min"


def format_rate(per_second: float | None) -> str:
    if per_second is None:
        return ""
    return f"{per_second:.1f}/s" if per_second < FAST else f"{per_second:.0f}/s"


class RateColumn(ProgressColumn):
    """The parts of a step that are done in one second."""

    def render(self, task: Task) -> Text:
        return Text(format_rate(task.finished_speed or task.speed))


class TimeLeftColumn(ProgressColumn):
    """How long the rest of a step takes at this rate."""

    def render(self, task: Task) -> Text:
        left = task.time_remaining
        return Text("" if left is None or task.finished else f"{format_duration(left)} left")
