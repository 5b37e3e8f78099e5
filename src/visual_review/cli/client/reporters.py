"""Shows the progress of a publish: a bar on a terminal, plain lines in a CI log."""

from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from visual_review.cli.client.console import print_line
from visual_review.cli.client.timing import RateColumn, TimeLeftColumn

# A CI log should show that the job is running, not every single image.
LINES_PER_STEP: Final = 10


class LineReporter:
    """Whole lines without control characters."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._step = ""
        self._total = 0
        self._done = 0

    def note(self, text: str) -> None:
        print_line(self._console, text)

    def begin(self, step: str, total: int) -> None:
        self._step, self._total, self._done = step, total, 0
        self.note(f"{step}: {total}")

    def advance(self) -> None:
        self._done += 1
        tenths = self._done * LINES_PER_STEP // self._total
        if tenths > (self._done - 1) * LINES_PER_STEP // self._total:
            self.note(f"{self._step}: {self._done} of {self._total}")

    def end(self) -> None:
        """Do nothing: lines need no cleanup."""


class BarReporter:
    """A progress bar for each step, with notes above it."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._progress: Progress | None = None
        self._task = TaskID(0)

    def note(self, text: str) -> None:
        print_line(self._console, text)

    def begin(self, step: str, total: int) -> None:
        self.end()
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            RateColumn(),
            TimeLeftColumn(),
        )
        # A new bar for each step: its total is known only when it begins.
        self._progress = Progress(*columns, console=self._console)
        self._task = self._progress.add_task(step, total=total)
        self._progress.start()

    def advance(self) -> None:
        if self._progress is not None:
            self._progress.advance(self._task)

    def end(self) -> None:
        if self._progress is not None:
            self._progress.stop()
            self._progress = None
