"""Duration and speed of a command, in words for people."""

from typing import Final

from rich.progress import ProgressColumn, Task
from rich.text import Text

MINUTE: Final = 60
HOUR: Final = 60 * MINUTE
# Parts per second; above, the fraction says nothing.
FAST: Final = 10.0


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
