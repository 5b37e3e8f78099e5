"""How a publish tells what it is doing; the command line decides how that looks."""

from typing import Protocol


class Reporter(Protocol):
    """Told from one thread at a time."""

    def note(self, text: str) -> None:
        """Something worth a line of its own."""

    def begin(self, step: str, total: int) -> None:
        """A step of ``total`` parts starts; the step before it has ended."""

    def advance(self) -> None:
        """One more part of the step is done."""

    def end(self) -> None:
        """The step has ended, whatever its parts."""
